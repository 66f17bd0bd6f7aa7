package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// release is one folder in the making.
type release struct {
	source
	version   semver
	out       string
	registry  string   // registry of the images, without their names
	url       string   // URL below which the files are published, in a folder named after the version
	platforms []string // platforms of the plugin of kubectl, such as linux/amd64
	// architectures of the images. Without any, no images are built.
	architectures []string

	images   []image
	programs []program
}

// make writes a new folder, and moves it into place when it is complete.
func (r *release) make(ctx context.Context) error {
	place := r.out
	if err := requireReplaceable(place); err != nil {
		return err
	}
	r.out = place + ".incomplete"
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if err := r.fill(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(place); err != nil {
		return err
	}
	err := os.Rename(r.out, place)
	r.out = place
	return err
}

// requireReplaceable refuses a folder that is neither empty nor an earlier release, since it would be deleted.
func requireReplaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	isChecksums := func(e fs.DirEntry) bool { return e.Name() == checksums }
	if err == nil && len(entries) > 0 && !slices.ContainsFunc(entries, isChecksums) {
		err = fmt.Errorf("-out: %s has files, and is no release: it has no %s", dir, checksums)
	}
	return err
}

// fill takes the steps in this order since later ones describe the files of earlier ones.
func (r *release) fill(ctx context.Context) error {
	steps := []struct {
		what string
		do   func(context.Context) error
	}{
		{"building the plugin of kubectl", r.buildPlugin},
		{"building the images", r.buildImages},
		{"packaging the chart", r.packageChart},
		{"writing the manifests", r.writeManifests},
		{"writing the krew manifest", r.writeKrewManifest},
		{"writing the SBOM", r.writeSBOM},
		{"writing the release notes", r.writeNotes},
		{"writing the provenance", r.writeProvenance},
		{"writing the checksums", r.writeChecksums},
	}
	for _, step := range steps {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// write makes a file of the folder.
func (r *release) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), content, 0o644)
}
