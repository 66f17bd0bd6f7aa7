package config

import (
	"crypto/sha256"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// File is a configuration file that is checked for changes while the controller runs. It is not safe for use by several
// goroutines.
//
//	file := config.NewFile(flags.ConfigPath)
//	current, err := file.Load()
//	for range ticks { // every few seconds
//		if file.Changed() {
//			next, err := file.Load() // if it fails, go on with current; Changed is false until the file is corrected
//		}
//	}
type File struct {
	path string
	// Contents at the last Load, and at the last call of Changed.
	loaded, seen contents
}

// contents is a digest of a file's contents, or of the error of reading it.
type contents [sha256.Size]byte

// NewFile names the file without reading it.
func NewFile(path string) *File { return &File{path: path} }

// Load reads the file, which must exist. Its errors are one line.
func (f *File) Load() (*Config, error) {
	data, err := readFile(f.path)
	f.loaded = contentsOf(data, err)
	f.seen = f.loaded
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", f.path, err)
	}
	c, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", f.path, err)
	}
	if pluginhost.WritableByAnybody(f.path) {
		c.warningsOfFile = []string{f.path + " can be changed by anybody, who can thus choose the programs that run with the rights of the " +
			"controller: make it safe with chmod o-w"}
	}
	return c, nil
}

// Changed reports whether the file differs from its contents at the last Load, and has not changed since the last call.
// A file that can no longer be read has changed, too. It waits for somebody who is still writing, so a change is
// reported by the second call after it at the earliest.
//
// It reads the whole file. That costs next to nothing and, unlike a comparison of size and modification time, works for
// the links of a mounted ConfigMap, a file that is replaced by an older one, and two changes within a tick of the
// clock.
func (f *File) Changed() bool {
	now := contentsOf(readFile(f.path))
	settled := now == f.seen
	f.seen = now
	return settled && now != f.loaded
}

func contentsOf(data []byte, err error) contents {
	if err != nil {
		return sha256.Sum256([]byte("error: " + err.Error()))
	}
	return sha256.Sum256(data)
}
