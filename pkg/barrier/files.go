package barrier

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// file is a file that the barrier leaves behind.
type file struct {
	name    string
	mode    os.FileMode
	content [][]byte
}

// writeFiles writes the application's files. Each file is either complete or absent.
func writeFiles(dir string, f *framework) error {
	whole, err := f.json()
	if err != nil {
		return fmt.Errorf("writing framework.json: %w", err)
	}
	known := f.peersJSON()
	for _, one := range []file{
		{"framework.json", 0o644, whole},
		{"peers.json", 0o644, [][]byte{known}},
		{"hosts", 0o644, [][]byte{f.hosts()}},
		{"hostfile", 0o644, [][]byte{f.hostfile()}},
		{"injector.sh", 0o755, [][]byte{f.injector()}},
	} {
		if err := one.write(dir); err != nil {
			return fmt.Errorf("writing %s: %w", one.name, err)
		}
	}
	return nil
}

func (o file) write(dir string) error {
	temporary, err := os.CreateTemp(dir, "."+o.name+".")
	if err != nil {
		return err
	}
	for _, part := range o.content {
		if err == nil {
			_, err = temporary.Write(part)
		}
	}
	// CreateTemp creates files for one user, and the umask must not limit the access of others.
	err = errors.Join(err, temporary.Chmod(o.mode), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), filepath.Join(dir, o.name))
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}
