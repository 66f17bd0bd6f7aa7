package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const (
	checkoutRoot = "../.."
	testVersion  = "v0.0.0-test"
)

// shell is the busybox for this machine, or the reason why it is missing.
var shell struct {
	busybox busybox
	err     error
}

// sources is a copy of the sources of the images, which nobody edits meanwhile.
var sources string

// images are the images for this machine, by component.
var images = map[string]v1.Image{}

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	var err error
	if sources, err = os.MkdirTemp("", "images-test-"); err == nil {
		defer os.RemoveAll(sources)
		err = prepare()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// prepare builds the images once for all tests. Without a network and a busybox that was fetched before, there are no images.
func prepare() error {
	if err := copySources(checkoutRoot, sources); err != nil {
		return err
	}
	cache, err := filepath.Abs(checkoutRoot + "/bin/images/.busybox")
	if err != nil {
		return err
	}
	found, err := findBusyboxes(context.Background(), cache, []string{runtime.GOARCH})
	shell.busybox, shell.err = found[runtime.GOARCH], err
	if err != nil {
		return nil
	}
	images, err = imagesOf(sources)
	return err
}

func imagesOf(root string) (map[string]v1.Image, error) {
	b, err := newBuild(root, ".", testVersion)
	if err != nil {
		return nil, err
	}
	out := map[string]v1.Image{}
	for _, c := range components {
		image, err := b.image(context.Background(), c, runtime.GOARCH, shell.busybox)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		out[c.name] = image
	}
	return out, nil
}

func needImages(t *testing.T) {
	t.Helper()
	if shell.err != nil {
		t.Skip("the images cannot be built here: ", shell.err)
	}
}

// copySources copies the sources of the images from one directory to another.
func copySources(from, to string) error {
	for _, name := range []string{"go.mod", "go.sum", "cmd", "deploy", "example", "pkg", "plugins"} {
		if out, err := exec.Command("cp", "-R", filepath.Join(from, name), to).CombinedOutput(); err != nil {
			return fmt.Errorf("copying %s: %w\n%s", name, err, out)
		}
	}
	return nil
}
