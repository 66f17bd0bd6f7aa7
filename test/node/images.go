package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// busyboxImage is the image that most examples want, from a registry that cannot be reached from here.
const busyboxImage = "docker.io/library/busybox:1.37"

// loadPause builds the image that every Pod needs beside its own ones. Others get it from a registry.
func (n *Node) loadPause(ctx context.Context) error {
	root := filepath.Join(scratch, "pause")
	const source = "github.com/frameworkcontroller/frameworkcontroller/test/node/pause"
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(root, "pause"), source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", source, err, output)
	}
	return n.loadMade(ctx, Image{Name: pauseImage, Root: root, Command: []string{"/pause"}})
}

// loadBusybox builds an image like the registry's: it runs as root, and each applet has a name of its own.
func (n *Node) loadBusybox(ctx context.Context, from programs) error {
	root := filepath.Join(scratch, "busybox")
	for _, dir := range []string{"bin", "etc", "root", "tmp"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(filepath.Join(root, "tmp"), 0o777|os.ModeSticky); err != nil {
		return err
	}
	if err := installBusybox(ctx, from, filepath.Join(root, "bin")); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/false\n",
		"etc/group":  "root:x:0:\nnobody:x:65534:\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return n.loadMade(ctx, Image{Name: busyboxImage, Root: root, Command: []string{"sh"}})
}

// installBusybox puts the program into a folder, and a link to it for each applet. Debian has moved /bin to /usr/bin in the meantime.
func installBusybox(ctx context.Context, from programs, bin string) error {
	const itself = "busybox"
	program, err := os.ReadFile(from.path("usr/bin/busybox"))
	if os.IsNotExist(err) {
		program, err = os.ReadFile(from.path("bin/busybox"))
	}
	if err != nil {
		return err
	}
	path := filepath.Join(bin, itself)
	if err := os.WriteFile(path, program, 0o755); err != nil {
		return err
	}
	applets, err := exec.CommandContext(ctx, path, "--list").Output()
	if err != nil {
		return fmt.Errorf("asking busybox for its applets: %w", err)
	}
	for _, name := range strings.Fields(string(applets)) {
		if name == itself {
			continue
		}
		if err := os.Symlink(itself, filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	return nil
}

// loadMade makes the image, and loads it.
func (n *Node) loadMade(ctx context.Context, i Image) error {
	archive := i.Root + ".tar"
	if err := i.Write(archive); err != nil {
		return err
	}
	return n.LoadImage(ctx, archive)
}
