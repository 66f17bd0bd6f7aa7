package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// build is what all images of one run have in common.
type build struct {
	root    string // of the sources
	out     string // where the archives go
	version string
}

// tags are what an image may be called after the colon.
var tags = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

func newBuild(root, out, version string) (*build, error) {
	if !tags.MatchString(version) {
		return nil, fmt.Errorf("-version: %q cannot be the tag of an image", version)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	return &build{root: root, out: out, version: version}, nil
}

// all builds every image for every architecture, and returns the archives that it has written.
func (b *build) all(ctx context.Context, architectures []string) ([]archive, error) {
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return nil, err
	}
	shells, err := findBusyboxes(ctx, filepath.Join(b.out, ".busybox"), architectures)
	if err != nil {
		return nil, err
	}
	var written []archive
	for _, c := range components {
		of, err := b.component(ctx, c, architectures, shells)
		written = append(written, of...)
		if err != nil {
			return written, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return written, nil
}

// component writes an archive for each architecture and, if there are several, one for all of them.
func (b *build) component(ctx context.Context, c component, architectures []string,
	shells map[string]busybox) ([]archive, error) {
	if err := b.removeOld(c); err != nil {
		return nil, err
	}
	var written []archive
	var images []v1.Image
	for _, arch := range architectures {
		image, err := b.image(ctx, c, arch, shells[arch])
		if err != nil {
			return written, err
		}
		images = append(images, image)
		a, err := writeArchive(filepath.Join(b.out, c.name+"-"+arch+".tar"), b.reference(c), image)
		if err != nil {
			return written, err
		}
		written = append(written, a)
	}
	if len(images) == 1 {
		return written, nil
	}
	a, err := writeArchive(filepath.Join(b.out, c.name+".tar"), b.reference(c), images...)
	if err != nil {
		return written, err
	}
	return append(written, a), nil
}

// removeOld removes the archives of an earlier run, which may have been for other architectures.
func (b *build) removeOld(c component) error {
	old := []string{c.name + ".tar"}
	for _, arch := range knownArchitectures() {
		old = append(old, c.name+"-"+arch+".tar")
	}
	for _, name := range old {
		if err := os.Remove(filepath.Join(b.out, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (b *build) image(ctx context.Context, c component, arch string, shell busybox) (v1.Image, error) {
	dir, err := os.MkdirTemp("", "images-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := b.compile(ctx, c, arch, dir); err != nil {
		return nil, err
	}
	own, err := c.files(b.root, dir)
	if err != nil {
		return nil, err
	}
	return newImage(c.config(arch, b.version, shell), shell.files(), append(own, c.directories()...))
}

// reference is the full name of the component's image.
func (b *build) reference(c component) string {
	return "docker.io/frameworkcontroller/" + c.name + ":" + b.version
}
