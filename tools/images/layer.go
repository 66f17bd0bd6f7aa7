package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// file is an entry of a layer. All belong to root.
type file struct {
	path string // without a leading slash
	mode int64  // permissions, with dirMode or linkMode for directories and links
	body []byte
	link string // target of a symbolic link
}

const (
	dirMode  = 1 << 16
	linkMode = 1<<17 | 0o777
)

// epoch is the time of everything in an image: its contents determine its bytes, the time of the build does not.
var epoch = time.Unix(0, 0).UTC()

// newLayer makes a layer of files, and of the directories above them.
func newLayer(files []file) (v1.Layer, error) {
	content, err := layerTar(files)
	if err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}

func layerTar(files []file) ([]byte, error) {
	files = withParents(files)
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i, f := range files {
		if i > 0 && files[i-1].path == f.path {
			return nil, fmt.Errorf("%s is in the layer twice", f.path)
		}
		if err := w.WriteHeader(f.header()); err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		if _, err := w.Write(f.body); err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
	}
	// Close writes the end of the archive, so the bytes are taken after it.
	err := w.Close()
	return out.Bytes(), err
}

// withParents adds the directories that are not given.
func withParents(files []file) []file {
	known := map[string]bool{}
	for _, f := range files {
		known[f.path] = true
	}
	for _, f := range files {
		for dir := path.Dir(f.path); dir != "." && !known[dir]; dir = path.Dir(dir) {
			known[dir] = true
			files = append(files, file{path: dir, mode: programMode | dirMode})
		}
	}
	return files
}

func (f file) header() *tar.Header {
	h := &tar.Header{
		Name:     f.path,
		Mode:     f.mode & 0o7777,
		Size:     int64(len(f.body)),
		Linkname: f.link,
		Typeflag: tar.TypeReg,
		ModTime:  epoch,
		Format:   tar.FormatPAX,
	}
	switch {
	case f.mode&dirMode != 0:
		h.Typeflag, h.Name = tar.TypeDir, f.path+"/"
	case f.link != "":
		h.Typeflag = tar.TypeSymlink
	}
	return h
}
