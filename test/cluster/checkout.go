package cluster

import (
	"errors"
	"os"
	"path/filepath"
)

// checkout is the root folder of this repository on disk.
type checkout string

func (c checkout) toolsModule(name string) string { return filepath.Join(string(c), "tools", name) }
func (c checkout) tools() string                  { return filepath.Join(string(c), "bin", "tools") }
func (c checkout) tool(name string) string        { return filepath.Join(c.tools(), name) }
func (c checkout) clusters() string               { return filepath.Join(string(c), "bin", "clusters") }

// findCheckout returns the checkout that the working directory lies in; go test sets that to the package's folder.
func findCheckout() (checkout, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "tools", "kubernetes", "go.mod")); err == nil {
			return checkout(dir), nil
		}
	}
	return "", errors.New("the working directory is not inside a checkout of frameworkcontroller")
}
