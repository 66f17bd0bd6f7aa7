package node

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// loadPause builds the image that every Pod needs beside its own ones. Others get it from a registry.
func (n *Node) loadPause(ctx context.Context) error {
	binary := filepath.Join(scratch, "pause")
	const source = "github.com/frameworkcontroller/frameworkcontroller/test/node/pause"
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", source, err, output)
	}
	archive, err := imageOf(pauseImage, binary)
	if err != nil {
		return err
	}
	path := binary + ".tar"
	if err := os.WriteFile(path, archive, 0o644); err != nil {
		return err
	}
	return n.LoadImage(ctx, path)
}

// imageOf returns an image that holds one static program and runs it, in the format of docker save.
func imageOf(name, program string) ([]byte, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	command := "/" + filepath.Base(program)
	layer, err := archiveOf(map[string][]byte{command[1:]: content})
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       map[string]any{"Entrypoint": []string{command}},
		"rootfs": map[string]any{
			"type":     "layers",
			"diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))},
		},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal([]map[string]any{
		{"Config": "config.json", "RepoTags": []string{name}, "Layers": []string{"layer.tar"}},
	})
	if err != nil {
		return nil, err
	}
	return archiveOf(map[string][]byte{"manifest.json": manifest, "config.json": config, "layer.tar": layer})
}

func archiveOf(files map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(content); err != nil {
			return nil, err
		}
	}
	err := w.Close() // which writes the end of the archive
	return out.Bytes(), err
}
