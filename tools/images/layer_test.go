package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// tarBlock is the block size of a tar archive. Two blocks of zeros end it.
const tarBlock = 512

// A layer ends as an archive has to: the last file is filled up, and two blocks of zeros follow. Go's reader does not mind if
// they are missing, and most others do.
func TestLayerIsAWholeArchive(t *testing.T) {
	content, err := layerTar([]file{{path: "start.sh", mode: programMode, body: []byte("#!/bin/sh\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if !endsWhole(content) {
		t.Errorf("%d bytes, the last of which are %q", len(content), content[max(0, len(content)-20):])
	}
}

// GNU tar lists and unpacks each layer, and its output equals the input, including the entry, which comes last in its layer.
func TestLayersWithGNUTar(t *testing.T) {
	needImages(t)
	if _, err := exec.LookPath("tar"); err != nil {
		t.Skip("there is no tar here: ", err)
	}
	for _, c := range components {
		dir := t.TempDir()
		layers, err := images[c.name].Layers()
		if err != nil {
			t.Fatal(err)
		}
		for _, layer := range layers {
			content := uncompressed(t, layer)
			if !endsWhole(content) {
				t.Errorf("%s: a layer of %d bytes does not end as an archive", c.name, len(content))
			}
			tarOf(t, content, "-t")
			tarOf(t, content, "-x", "-C", dir)
		}
		checkCopies(t, c, dir)
	}
}

func endsWhole(archive []byte) bool {
	return len(archive)%tarBlock == 0 && bytes.HasSuffix(archive, make([]byte, 2*tarBlock))
}

// tarOf runs tar on an archive.
func tarOf(t *testing.T, archive []byte, args ...string) {
	t.Helper()
	cmd := exec.Command("tar", append([]string{"--no-same-owner", "-f", "-"}, args...)...)
	cmd.Stdin = bytes.NewReader(archive)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("tar %s: %v\n%s", args[0], err, out)
	}
}

// checkCopies compares an unpacked image with the sources.
func checkCopies(t *testing.T, c component, rootfs string) {
	t.Helper()
	for _, copied := range c.copies {
		got, err := os.ReadFile(filepath.Join(rootfs, c.directory(), copied.name))
		if err != nil || !bytes.Equal(got, readFile(t, filepath.Join(sources, copied.source))) {
			t.Errorf("%s: %s came out with %d bytes (%v)", c.name, copied.name, len(got), err)
		}
	}
}

func uncompressed(t *testing.T, layer v1.Layer) []byte {
	t.Helper()
	r, err := layer.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
