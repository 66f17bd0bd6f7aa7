package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// requireChanged calls Changed twice: the first call after a change waits for further changes.
func requireChanged(t *testing.T, f *File, want bool) {
	t.Helper()
	if first := f.Changed(); want && first {
		t.Error("a change is told before it has settled")
	}
	if got := f.Changed(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func newFile(t *testing.T, text string) (*File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, text)
	f := NewFile(path)
	if _, err := f.Load(); err != nil {
		t.Fatal(err)
	}
	return f, path
}

func TestChanged(t *testing.T) {
	f, path := newFile(t, "workerNumber: 3")
	requireChanged(t, f, false)
	write(t, path, "workerNumber: 3") // another time of change only
	requireChanged(t, f, false)

	info, err := os.Stat(path)
	require.NoError(t, err)
	write(t, path, "workerNumber: 4")
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil { // the same time and size
		t.Fatal(err)
	}
	requireChanged(t, f, true)
	if c, err := f.Load(); err != nil || c.WorkerNumber != 4 {
		t.Fatalf("got %v, %v", c, err)
	}
	requireChanged(t, f, false)
}

// A bad file is reported once, with the same message as at the start, and so is its correction.
func TestChangedToABadFile(t *testing.T) {
	f, path := newFile(t, "workerNumber: 3")
	for _, bad := range []string{"workerNumber: 0", "", "plugins: [{}]"} {
		write(t, path, bad)
		requireChanged(t, f, true)
		_, errStart := Load(path)
		if c, err := f.Load(); c != nil || err == nil || err.Error() != errStart.Error() {
			t.Errorf("%q: got %v, %v", bad, c, err)
		}
		requireChanged(t, f, false)
	}
	write(t, path, "workerNumber: 3")
	requireChanged(t, f, true)
	if _, err := f.Load(); err != nil {
		t.Error(err)
	}
}

func TestFileGoesAway(t *testing.T) {
	f, path := newFile(t, "workerNumber: 3")
	require.NoError(t, os.Remove(path))
	if f.Changed() { // it may just be replaced
		t.Error("told at once")
	}
	write(t, path, "workerNumber: 3")
	requireChanged(t, f, false)

	require.NoError(t, os.Remove(path))
	requireChanged(t, f, true)
	if _, err := f.Load(); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v", err)
	}
	requireChanged(t, f, false)
}

// A file that is being written is waited for.
func TestChangedWaits(t *testing.T) {
	f, path := newFile(t, "workerNumber: 3")
	for _, text := range []string{"w", "workerN", "workerNumber: 30"} {
		write(t, path, text)
		if f.Changed() {
			t.Errorf("%q is told at once", text)
		}
	}
	if !f.Changed() {
		t.Error("the last change is not told")
	}
}

// A mounted ConfigMap: config.yaml -> ..data/config.yaml, and ..data -> a directory for each version.
func TestMountedConfigMap(t *testing.T) {
	dir := t.TempDir()
	version := func(name, text string) {
		t.Helper()
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		write(t, filepath.Join(dir, name, "config.yaml"), text)
		link(t, name, filepath.Join(dir, "..data_tmp"))
		require.NoError(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
	}
	version("..1", "workerNumber: 3")
	path := filepath.Join(dir, "config.yaml")
	link(t, filepath.Join("..data", "config.yaml"), path)
	f := NewFile(path)
	if _, err := f.Load(); err != nil {
		t.Fatal(err)
	}
	requireChanged(t, f, false)
	version("..2", "workerNumber: 4")
	requireChanged(t, f, true)
	if c, err := f.Load(); err != nil || c.WorkerNumber != 4 {
		t.Errorf("got %v, %v", c, err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	require.NoError(t, os.Symlink(target, path))
}
