package pluginhost

import "os"

// WritableByAnybody reports whether every user of the machine may change the contents of a file. The target of a link
// counts, and a mode that a read-only mount overrules does not, as with the files of a ConfigMap whose defaultMode is
// 0777. It is false for a file whose mode cannot be read.
func WritableByAnybody(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o002 != 0 && !onReadOnlyMount(path)
}
