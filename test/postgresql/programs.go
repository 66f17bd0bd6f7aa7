package postgresql

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/test/debian"
)

// Programs are the programs of a PostgreSQL.
type Programs struct {
	bin         string   // their directory
	environment []string // needed beside the environment of this process
}

// errNone is returned if this machine has no PostgreSQL.
var errNone = errors.New("apt-get install postgresql has it")

// Installed returns the newest PostgreSQL of this machine, or an error without one.
func Installed() (p Programs, err error) {
	if p.bin = newest("/"); p.bin == "" {
		return p, errNone
	}
	return p, nil
}

// Fetched returns Debian's PostgreSQL, unpacked into a directory. It is downloaded if it does not exist yet.
func Fetched(dir string) (p Programs, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return p, err
	}
	if err := debian.UnpackAll(dir, "postgresql"); err != nil {
		return p, err
	}
	if p.bin = newest(dir); p.bin == "" {
		return p, errors.New("the Debian package postgresql is without it")
	}
	p.environment = []string{"LD_LIBRARY_PATH=" + debian.LibraryPath(dir)}
	return p, nil
}

// newest returns the path of the newest version, or an empty one.
func newest(root string) string {
	found, _ := filepath.Glob(filepath.Join(root, "usr/lib/postgresql/*/bin/initdb")) // the pattern is valid
	if len(found) == 0 {
		return ""
	}
	// Versions of two digits are in the order of their names.
	return filepath.Dir(slices.Max(found))
}
