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

// build has the values that all images of one run share.
type build struct {
	root    string // root folder of the sources
	out     string // where the archives go
	version string
	// commit of the sources, left out if empty, and registry to which the images are pushed, with the path there.
	commit, registry string
}

const defaultRegistry = "docker.io/frameworkcontroller"

// tags matches valid tags of an image.
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
	return &build{root: root, out: out, version: version, registry: defaultRegistry}, nil
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
		a, err := b.write(c, c.name+"-"+arch+".tar", []string{arch}, image)
		if err != nil {
			return written, err
		}
		written = append(written, a)
	}
	if len(images) == 1 {
		return written, nil
	}
	a, err := b.write(c, c.name+".tar", architectures, images...)
	if err != nil {
		return written, err
	}
	return append(written, a), nil
}

func (b *build) write(c component, file string, architectures []string, images ...v1.Image) (archive, error) {
	a := archive{Component: c.name, Path: filepath.Join(b.out, file), Reference: b.reference(c)}
	for _, arch := range architectures {
		a.Platforms = append(a.Platforms, "linux/"+arch)
	}
	var err error
	a.Digest, err = writeArchive(a.Path, a.Reference, images...)
	return a, err
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
	config := c.config(arch, b.version, shell)
	if b.commit != "" {
		config.Config.Labels["org.opencontainers.image.revision"] = b.commit
	}
	return newImage(config, shell.files(), append(own, c.directories()...))
}

// reference is the full name of the component's image.
func (b *build) reference(c component) string {
	return b.registry + "/" + c.name + ":" + b.version
}
