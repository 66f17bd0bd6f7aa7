package debian

import (
	"path/filepath"
	"strings"
)

// LibraryPath is the search path for the libraries of what UnpackAll has unpacked into a folder, for LD_LIBRARY_PATH. private names
// subfolders that packages have for libraries of their own.
func LibraryPath(dir string, private ...string) string {
	patterns := []string{"lib/*-linux-gnu*", "usr/lib/*-linux-gnu*"}
	for _, name := range private {
		patterns = append(patterns, "usr/lib/*-linux-gnu*/"+name)
	}
	var path []string
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(dir, pattern)) // the patterns are valid
		path = append(path, found...)
	}
	return strings.Join(path, ":")
}
