package main

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// archive is a file that was written.
type archive struct {
	Component string   `json:"component"`
	Platforms []string `json:"platforms"` // linux/amd64
	Path      string   `json:"path"`
	Reference string   `json:"reference"`
	Digest    v1.Hash  `json:"digest"` // digest of the image, or of the index of several
}

// writeArchive writes an OCI image layout as a tar. With one image in it, it has the table of contents of docker save too, over the same
// blobs, and so can be loaded by programs that know either format. Several images have one name and different architectures. It returns the
// digest of the image, or of the index of several.
func writeArchive(path, reference string, images ...v1.Image) (v1.Hash, error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".layout-")
	if err != nil {
		return v1.Hash{}, err
	}
	defer os.RemoveAll(dir)
	digest, err := writeLayout(dir, reference, images)
	if err != nil {
		return v1.Hash{}, fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	if len(images) == 1 {
		if err := writeDockerManifest(dir, reference, images[0]); err != nil {
			return v1.Hash{}, fmt.Errorf("writing %s: %w", filepath.Base(path), err)
		}
	}
	return digest, writeTar(path, dir)
}

// writeLayout writes the image, or an index of several, under the names that containerd, podman and skopeo look for.
func writeLayout(dir, reference string, images []v1.Image) (v1.Hash, error) {
	tag, err := name.NewTag(reference)
	if err != nil {
		return v1.Hash{}, err
	}
	l, err := layout.Write(dir, empty.Index)
	if err != nil {
		return v1.Hash{}, err
	}
	names := layout.WithAnnotations(map[string]string{
		"io.containerd.image.name":          reference,
		"org.opencontainers.image.ref.name": tag.TagStr(),
	})
	if len(images) == 1 {
		return hashed(images[0], l.AppendImage(images[0], names))
	}
	index, err := newIndex(images)
	if err != nil {
		return v1.Hash{}, err
	}
	return hashed(index, l.AppendIndex(index, names))
}

func hashed(o interface{ Digest() (v1.Hash, error) }, err error) (v1.Hash, error) {
	if err != nil {
		return v1.Hash{}, err
	}
	return o.Digest()
}

func newIndex(images []v1.Image) (v1.ImageIndex, error) {
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, image := range images {
		config, err := image.ConfigFile()
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: config.OS, Architecture: config.Architecture}},
		})
	}
	return index, nil
}

// writeDockerManifest writes the table of contents of docker save.
func writeDockerManifest(dir, reference string, image v1.Image) error {
	manifest, err := image.Manifest()
	if err != nil {
		return err
	}
	entry := struct {
		Config   string
		RepoTags []string
		Layers   []string
	}{Config: blob(manifest.Config.Digest), RepoTags: []string{reference}}
	for _, layer := range manifest.Layers {
		entry.Layers = append(entry.Layers, blob(layer.Digest))
	}
	text, err := json.Marshal([]any{entry})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), text, 0o644)
}

func blob(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }

// writeTar packs a directory, in the order of names, and replaces the file in one step.
func writeTar(path, dir string) error {
	fresh, err := os.CreateTemp(filepath.Dir(path), ".tar-")
	if err != nil {
		return err
	}
	defer os.Remove(fresh.Name())
	defer fresh.Close()
	w := tar.NewWriter(fresh)
	err = filepath.WalkDir(dir, func(from string, entry fs.DirEntry, err error) error {
		if err != nil || from == dir {
			return err
		}
		name, err := filepath.Rel(dir, from)
		if err != nil {
			return err
		}
		return pack(w, name, from, entry)
	})
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := fresh.Chmod(0o644); err != nil {
		return err
	}
	return os.Rename(fresh.Name(), path)
}

func pack(w *tar.Writer, name, from string, entry fs.DirEntry) error {
	h := &tar.Header{Name: name, Mode: 0o644, ModTime: epoch, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
	if entry.IsDir() {
		h.Name, h.Mode, h.Typeflag = name+"/", 0o755, tar.TypeDir
		return w.WriteHeader(h)
	}
	info, err := entry.Info()
	if err != nil {
		return err
	}
	h.Size = info.Size()
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
