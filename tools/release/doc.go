// Command release makes the folder that a publisher of a release needs: binaries of the plugin of kubectl, image layouts,
// the packaged chart, install.yaml, history.yaml, the CRD, a krew manifest, an SBOM, provenance, release notes and checksums.
//
// The same commit and the same Go version give the same bytes: every time in the folder is the time of the commit, or
// SOURCE_DATE_EPOCH. Nothing is signed or uploaded.
//
//	go run ./tools/release -version v1.0.0        the folder bin/release/v1.0.0, as make release does
//	go run ./tools/release -version v1.0.0 -dry   what takes no time, of a working tree with changes
//	go run ./tools/release -version v1.0.0 -keep  what later releases are tested with, in test/releases/testdata; a release requires that it is committed
//
// main.go has the order of the steps; each step is a file.
package main
