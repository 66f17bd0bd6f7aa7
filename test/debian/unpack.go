package debian

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Unpack downloads packages and unpacks them into a folder, unless that is there. The folder appears in one step. An error is
// also that this machine is no Debian, or reaches no archive.
func Unpack(dir string, packages ...string) error {
	if Unpacked(dir) {
		return nil
	}
	what := "the Debian packages " + strings.Join(packages, ", ")
	fmt.Fprintln(os.Stderr, "getting", what)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".debian-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := download(fresh, packages); err != nil {
		return fmt.Errorf("getting %s: %w", what, err)
	}
	if err := unpackIn(fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// Unpacked reports whether the folder is there.
func Unpacked(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

// download refreshes the lists of packages only if it has to.
func download(dir string, packages []string) error {
	get := append([]string{"download"}, packages...)
	if aptGet(dir, get...) == nil {
		return nil
	}
	if err := aptGet(dir, "update"); err != nil {
		return err
	}
	return aptGet(dir, get...)
}

// aptGet runs as who calls, since the user whom it would use instead may not write here.
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
