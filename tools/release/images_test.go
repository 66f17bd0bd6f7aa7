package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Archives of tools/images get meaningful names, and the list of digests has each archive with its platforms.
func TestImages(t *testing.T) {
	dir := t.TempDir()
	r := &release{version: "v1.2.3", out: t.TempDir(), architectures: []string{"amd64", "arm64"}}
	const reference = "docker.io/frameworkcontroller/frameworkbarrier:v1.2.3"
	for i, platforms := range [][]string{{"linux/amd64"}, {"linux/arm64"}, {"linux/amd64", "linux/arm64"}} {
		digest := fmt.Sprintf("sha256:%d", i)
		path := filepath.Join(dir, digest)
		require.NoError(t, os.WriteFile(path, plainTar(t,
			file{"config", 0o644, []byte(`{}`)},
			file{"layer", 0o644, plainTar(t, file{"bin/busybox", 0o755, []byte("\x7fELF" + digest)})},
			file{"manifest.json", 0o644, []byte(`[{"Config": "config", "Layers": ["layer"]}]`)},
		), 0o644))
		require.NoError(t, r.takeImage(image{Component: "frameworkbarrier", Platforms: platforms, Path: path, Reference: reference, Digest: digest}))
	}
	require.Equal(t, `frameworkbarrier-image-v1.2.3-amd64.tar	docker.io/frameworkcontroller/frameworkbarrier:v1.2.3@sha256:0	linux/amd64
frameworkbarrier-image-v1.2.3-arm64.tar	docker.io/frameworkcontroller/frameworkbarrier:v1.2.3@sha256:1	linux/arm64
frameworkbarrier-image-v1.2.3.tar	docker.io/frameworkcontroller/frameworkbarrier:v1.2.3@sha256:2	linux/amd64,linux/arm64
`, string(r.imageList()))
	for _, i := range r.images {
		require.FileExists(t, filepath.Join(r.out, i.file))
	}
	require.Len(t, r.widest(), 1)
	require.Len(t, r.programs, 2, "those of the archive for both are in the others already")
}
