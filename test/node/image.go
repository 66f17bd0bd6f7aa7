package node

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// Image is an image of one layer.
type Image struct {
	Name    string   // with registry and tag
	Root    string   // folder with its files
	Command []string // the command of a Pod that sets none
}

// Write writes the image to a file, in the format of docker save.
func (i Image) Write(archive string) error {
	out, err := os.Create(archive)
	if err != nil {
		return err
	}
	return errors.Join(i.write(tar.NewWriter(out)), out.Close())
}

func (i Image) write(w *tar.Writer) error {
	size, digest, err := measure(i.Root)
	if err != nil {
		return err
	}
	if err := addJSON(w, "config.json", i.config(digest)); err != nil {
		return err
	}
	manifest := []map[string]any{{"Config": "config.json", "RepoTags": []string{i.Name}, "Layers": []string{"layer.tar"}}}
	if err := addJSON(w, "manifest.json", manifest); err != nil {
		return err
	}
	if err := w.WriteHeader(header("layer.tar", size)); err != nil {
		return err
	}
	if err := writeTree(w, i.Root); err != nil {
		return err
	}
	return w.Close() // writes the end of the archive
}

func (i Image) config(layer string) any {
	return map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config": map[string]any{
			"Cmd": i.Command,
			"Env": []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{layer}},
	}
}

func addJSON(w *tar.Writer, name string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	if err := w.WriteHeader(header(name, int64(len(text)))); err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func header(name string, size int64) *tar.Header {
	return &tar.Header{Name: name, Mode: 0o644, Size: size}
}

// measure returns the size and the digest of a layer, which must be known before it is written.
func measure(root string) (size int64, digest string, err error) {
	hash := sha256.New()
	counted := &counter{to: hash}
	err = writeTree(counted, root)
	return counted.bytes, fmt.Sprintf("sha256:%x", hash.Sum(nil)), err
}

// counter counts the bytes written through it.
type counter struct {
	to    io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return c.to.Write(p)
}

// writeTree writes the files in a folder as an archive.
func writeTree(to io.Writer, root string) error {
	w := tar.NewWriter(to)
	if err := w.AddFS(os.DirFS(root)); err != nil {
		return fmt.Errorf("archiving %s: %w", root, err)
	}
	return w.Close()
}
