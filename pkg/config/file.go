package config

import (
	"crypto/sha256"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// File is a configuration file that is looked at again while the controller runs. It is not safe for use by several
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
	// What Load has seen, and what Changed has seen last.
	loaded, seen contents
}

// contents stands for the contents of a file, or for why it cannot be read.
type contents [sha256.Size]byte

// NewFile names the file, and does not look at it yet.
func NewFile(path string) *File { return &File{path: path} }

// Load reads the file, which has to be there. Its errors are one line.
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
		c.warningsOfFile = []string{f.path + " may be changed by anybody, and so may the programs that run with the rights of the " +
			"controller: take that right away with chmod o-w"}
	}
	return c, nil
}

// Changed reports whether the file is not what Load has seen, and has stayed so since the last call. A file that cannot be
// read any more has changed, too. Somebody who is still writing is waited for, so a change is reported by the second call
// after it at the earliest.
//
// It reads the whole file. That costs next to nothing, and unlike size and time of change it tells right for the links
// of a mounted ConfigMap, a file that is replaced by an older one, and two changes within a tick of the clock.
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
