package node

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packages are the Debian packages that hold the programs of a node. They are not installed, which could start services
// and would stay, but unpacked into a folder.
var packages = []string{"containerd", "runc", "containernetworking-plugins"}

// programs is that folder.
type programs string

// programsIn returns the folder in one for all tools.
func programsIn(tools string) programs { return programs(filepath.Join(tools, "node")) }

func (p programs) path(name string) string { return filepath.Join(string(p), name) }

// searchPath is the environment variable by which the programs find each other.
func (p programs) searchPath() string {
	return "PATH=" + p.path("usr/bin") + ":" + p.path("usr/sbin") + ":" + os.Getenv("PATH")
}

func (p programs) unpacked() bool {
	_, err := os.Stat(string(p))
	return err == nil
}

// unpack downloads the packages and unpacks them, unless that was done before. The folder appears in one step.
func (p programs) unpack() error {
	if p.unpacked() {
		return nil
	}
	fmt.Fprintln(os.Stderr, "getting the Debian packages", strings.Join(packages, ", "))
	fresh, err := os.MkdirTemp(filepath.Dir(string(p)), ".node-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := downloadInto(fresh); err != nil {
		return fmt.Errorf("getting the Debian packages %s: %w", strings.Join(packages, ", "), err)
	}
	if err := unpackIn(fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, string(p)); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// downloadInto refreshes the lists of packages only if it has to.
func downloadInto(dir string) error {
	err := aptGet(dir, append([]string{"download"}, packages...)...)
	if err == nil {
		return nil
	}
	if err := aptGet(dir, "update"); err != nil {
		return err
	}
	return aptGet(dir, append([]string{"download"}, packages...)...)
}

// aptGet runs as root, since the user whom it would use instead may not write here.
func aptGet(dir string, args ...string) error {
	cmd := exec.Command("apt-get", append([]string{"-qq", "-o", "APT::Sandbox::User=root"}, args...)...)
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, output)
	}
	return nil
}

func unpackIn(dir string) error {
	archives, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil {
		return err
	}
	for _, archive := range archives {
		if output, err := exec.Command("dpkg-deb", "--extract", archive, dir).CombinedOutput(); err != nil {
			return fmt.Errorf("unpacking %s: %w\n%s", filepath.Base(archive), err, output)
		}
		if err := os.Remove(archive); err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o755)
}
