// Package releases tests that today's code continues from the objects that each release leaves in a cluster. testdata has a folder for each
// release, which make release-keep writes: the CRD, the default configuration, the contract of plugins, and stored Frameworks. Nothing in
// such a folder is ever changed after its release. test/api tests it with an API server, and pkg/lifecycle tests the core with its
// statuses.
//
// testdata/v1.0.0 is the baseline for the first release, which is still to come. Until the tag v1.0.0 exists, an intended change may
// rewrite it; make release requires that it equals the output of the released commit.
package releases
