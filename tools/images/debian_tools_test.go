package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// toolPackages are Debian packages with other tools for images. They are not installed, but unpacked into a folder of the checkout, with
// their dependencies that this machine lacks.
var toolPackages = []string{"skopeo", "umoci", "podman", "runc"}

// debianTools is that folder.
type debianTools string

var getDebianTools = sync.OnceValues(func() (debianTools, error) {
	dir, err := filepath.Abs(checkoutRoot + "/bin/images/.tools")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return debianTools(dir), nil
	}
	return debianTools(dir), unpackTools(context.Background(), dir)
})

// needDebianTools skips a test where Debian's archive cannot be reached.
func needDebianTools(t *testing.T) debianTools {
	t.Helper()
	needImages(t)
	tools, err := getDebianTools()
	if err != nil {
		t.Skip("the Debian packages "+strings.Join(toolPackages, ", ")+" are not to be had here: ", err)
	}
	leaveNoCache(t)
	return tools
}

// leaveNoCache removes the caches of root's podman and skopeo about known layers, which cannot be moved elsewhere.
func leaveNoCache(t *testing.T) {
	const dir = "/var/lib/containers"
	if _, err := os.Stat(dir); os.Getuid() == 0 && errors.Is(err, os.ErrNotExist) {
		t.Cleanup(func() { os.RemoveAll(dir) })
	}
}

// unpackTools fills the folder, which appears in one step.
func unpackTools(ctx context.Context, dir string) error {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("there is no apt-get")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".tools-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := downloadTools(ctx, filepath.Join(fresh, "packages")); err != nil {
		return err
	}
	packages, _ := filepath.Glob(filepath.Join(fresh, "packages", "*.deb"))
	for _, p := range packages {
		if _, err := output(exec.CommandContext(ctx, "dpkg-deb", "--extract", p, fresh)); err != nil {
			return err
		}
	}
	return os.Rename(fresh, dir)
}

// downloadTools gets the packages that would be installed, and installs none.
func downloadTools(ctx context.Context, dir string) error {
	state, err := newAptState([]string{runtime.GOARCH})
	if err != nil {
		return err
	}
	defer os.RemoveAll(state.dir)
	if err := os.MkdirAll(filepath.Join(dir, "partial"), 0o755); err != nil {
		return err
	}
	if _, err := output(state.command(ctx, "update")); err != nil {
		return err
	}
	_, err = output(state.command(ctx, append([]string{"install", "--download-only", "--no-install-recommends", "--yes",
		"-o", "Dir::State::status=/var/lib/dpkg/status", "-o", "Debug::NoLocking=true",
		"-o", "Dir::Cache::archives=" + dir}, toolPackages...)...))
	return err
}

// wrap writes a script into dir that runs a program with the libraries of the folder. The program is the machine's, if it
// has that already, or the folder's. It returns the script's path.
func (d debianTools) wrap(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	program := d.find(t, name)
	libraries, err := filepath.Glob(filepath.Join(string(d), "usr/lib/*-linux-gnu"))
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nLD_LIBRARY_PATH='%s' exec '%s' %s \"$@\"\n", strings.Join(libraries, ":"), program, strings.Join(args, " "))
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func (d debianTools) find(t *testing.T, name string) string {
	t.Helper()
	for _, bin := range []string{"usr/bin", "usr/sbin"} {
		path := filepath.Join(string(d), bin, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// mustRun returns the output of a program.
func mustRun(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := output(exec.CommandContext(t.Context(), program, args...))
	if err != nil {
		t.Fatalf("%s %v: %v", filepath.Base(program), args, err)
	}
	return string(out)
}
