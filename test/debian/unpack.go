package debian

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Unpack downloads packages and unpacks them into a folder, unless it exists. The folder appears in one step. It also returns an error if
// this machine is no Debian, or reaches no archive.
func Unpack(dir string, packages ...string) error {
	return provide(dir, packages, download)
}

// UnpackAll is Unpack with all dependencies of the packages, down to the C library: programs can run with the folder as their root. The
// effects of the packages' scripts, such as users, are missing.
func UnpackAll(dir string, packages ...string) error {
	return provide(dir, packages, downloadAll)
}

// Unpacked reports whether the folder exists.
func Unpacked(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

func provide(dir string, packages []string, get func(archives string, packages []string) error) error {
	if Unpacked(dir) {
		return nil
	}
	what := "the Debian packages " + strings.Join(packages, ", ")
	fmt.Fprintln(os.Stderr, "getting", what)
	archives, err := os.MkdirTemp("", "debian-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(archives)
	if err := withLists(func() error { return get(archives, packages) }); err != nil {
		return fmt.Errorf("getting %s: %w", what, err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".debian-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := unpack(archives, fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// withLists refreshes the lists of packages only if it has to.
func withLists(get func() error) error {
	if get() == nil {
		return nil
	}
	if err := aptGet("/", "update"); err != nil {
		return err
	}
	return get()
}

func download(archives string, packages []string) error {
	return aptGet(archives, append([]string{"download"}, packages...)...)
}

// downloadAll has apt-get believe that nothing is installed, by a state of its own.
func downloadAll(archives string, packages []string) error {
	status := filepath.Join(archives, "status")
	if err := os.WriteFile(status, nil, 0o644); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(archives, "partial"), 0o755); err != nil {
		return err
	}
	options := []string{"install", "--download-only", "--yes", "--no-install-recommends",
		"-o", "Dir::State::status=" + status,
		"-o", "Dir::Cache::archives=" + archives,
		"-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=", // keeps the machine's caches
	}
	return aptGet(archives, append(options, packages...)...)
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

func unpack(archives, dir string) error {
	found, err := filepath.Glob(filepath.Join(archives, "*.deb"))
	if err != nil {
		return err
	}
	for _, archive := range found {
		if output, err := exec.Command("dpkg-deb", "--extract", archive, dir).CombinedOutput(); err != nil {
			return fmt.Errorf("unpacking %s: %w\n%s", filepath.Base(archive), err, output)
		}
	}
	return os.Chmod(dir, 0o755)
}
