package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// image is an archive with one image, or with an index of those for several architectures, as tools/images lists it.
type image struct {
	Component string
	Platforms []string // linux/amd64
	Path      string   // where tools/images has written it
	Reference string   // docker.io/frameworkcontroller/frameworkcontroller:v1.0.0
	Digest    string

	file string // name in the folder of the release
}

// buildImages calls tools/images to build the images, gives their archives meaningful names, and lists the digests.
func (r *release) buildImages(ctx context.Context) error {
	if len(r.architectures) == 0 {
		return nil
	}
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	root, err := filepath.Abs(r.root)
	if err != nil {
		return err
	}
	// The shell that it has fetched from Debian is kept beside the folder, for the next run.
	dir := filepath.Join(filepath.Dir(out), ".images")
	cmd := exec.CommandContext(ctx, "go", "run", "-C", filepath.Join(root, "tools/images"), ".", "-json", "-version", r.version.String(),
		"-commit", r.commit, "-registry", r.registry, "-arch", strings.Join(r.architectures, ","), "-out", dir, "-root", root)
	listed, err := output(cmd)
	if err != nil {
		return err
	}
	var images []image
	if err := json.Unmarshal(listed, &images); err != nil {
		return fmt.Errorf("the list of tools/images: %w", err)
	}
	for _, i := range images {
		if err := r.takeImage(i); err != nil {
			return err
		}
	}
	return r.write("images.txt", r.imageList())
}

// takeImage moves an archive of tools/images into the folder, and reads the programs of one that has a single platform.
func (r *release) takeImage(i image) error {
	single := len(i.Platforms) == 1
	i.file = fmt.Sprintf("%s-image-%s.tar", i.Component, r.version)
	if single {
		_, arch, _ := strings.Cut(i.Platforms[0], "/")
		i.file = fmt.Sprintf("%s-image-%s-%s.tar", i.Component, r.version, arch)
	}
	if err := os.Rename(i.Path, filepath.Join(r.out, i.file)); err != nil {
		return err
	}
	r.images = append(r.images, i)
	if !single {
		return nil
	}
	programs, err := programsInImage(filepath.Join(r.out, i.file))
	if err != nil {
		return fmt.Errorf("%s: %w", i.file, err)
	}
	for _, p := range programs {
		p.artifact, p.platform = i.file, i.Platforms[0]
		r.programs = append(r.programs, p)
	}
	return nil
}

// imageList has a line for each archive: file, image with its digest, platforms.
func (r *release) imageList() []byte {
	var out strings.Builder
	for _, i := range r.images {
		fmt.Fprintf(&out, "%s\t%s@%s\t%s\n", i.file, i.Reference, i.Digest, strings.Join(i.Platforms, ","))
	}
	return []byte(out.String())
}

// widest returns the archives with all architectures of an image, by which the image is pushed.
func (r *release) widest() []image {
	var found []image
	for _, i := range r.images {
		if len(i.Platforms) == len(r.architectures) {
			found = append(found, i)
		}
	}
	return found
}
