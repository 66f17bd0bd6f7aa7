package main

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Programs are found in the layers of an image: this test's own binary, with its modules, and a shell by its label.
func TestProgramsInImage(t *testing.T) {
	own, err := os.Executable()
	require.NoError(t, err)
	binary, err := os.ReadFile(own)
	require.NoError(t, err)
	if !bytes.HasPrefix(binary, []byte("\x7fELF")) {
		t.Skip("images have programs of Linux in them")
	}
	archive := filepath.Join(t.TempDir(), "image.tar")
	require.NoError(t, os.WriteFile(archive, plainTar(t,
		file{"blobs/sha256/1", 0o644, []byte(`{"config": {"Labels": {"busybox.version": "1.37", "busybox.source": "elsewhere"}}}`)},
		file{"blobs/sha256/2", 0o644, plainTar(t, file{"opt/tool", 0o755, binary}, file{"etc/passwd", 0o644, []byte("root")})},
		file{"blobs/sha256/3", 0o644, plainTar(t, file{"bin/busybox", 0o755, []byte("\x7fELF")})},
		file{"manifest.json", 0o644, []byte(`[{"Config": "blobs/sha256/1", "Layers": ["blobs/sha256/2", "blobs/sha256/3"]}]`)},
	), 0o644))
	found, err := programsInImage(archive)
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Equal(t, "tool", found[0].name)
	require.NotEmpty(t, found[0].info.Deps)
	require.Equal(t, shell{"1.37", "elsewhere"}, found[1].shell)
}

func plainTar(t *testing.T, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.body))}))
		_, err := w.Write(f.body)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}
