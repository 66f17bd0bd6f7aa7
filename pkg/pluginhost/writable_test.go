package pluginhost

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The target of a link counts, not the link itself, whose mode is 0777 where ConfigMaps are mounted.
func TestWritableByAnybody(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	writeFile(t, file, "x")
	require.NoError(t, os.Symlink("file", link))
	for mode, want := range map[os.FileMode]bool{
		0o400: false, 0o555: false, 0o644: false, 0o755: false, 0o775: false, 0o664: false, 0o666: true, 0o777: true, 0o602: true,
	} {
		chmod(t, file, mode)
		for _, path := range []string{file, link} {
			if got := WritableByAnybody(path); got != want {
				t.Errorf("%s, mode %o: got %v", path, mode, got)
			}
		}
	}
	if WritableByAnybody(filepath.Join(dir, "absent")) {
		t.Error("a file that is not there counts as one")
	}
}

func TestReadOnlyMount(t *testing.T) {
	if onReadOnlyMount(t.TempDir()) {
		t.Error("a folder that has just been made is taken for read-only")
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Skip("skipping: this system does not list its mounts:", err)
	}
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if _, err := os.Stat(fields[1]); err == nil && strings.HasPrefix(fields[3]+",", "ro,") {
			if !onReadOnlyMount(fields[1]) {
				t.Errorf("%s is not taken for read-only", fields[1])
			}
			return
		}
	}
	t.Skip("skipping: nothing is mounted read-only here")
}

// A program that others can change is not started, with any checksum, and neither is a program whose script they can change.
func TestPluginsThatAnybodyMayChange(t *testing.T) {
	own := config("p", "rpc")
	text, err := os.ReadFile(own.Command)
	require.NoError(t, err)
	dir := t.TempDir()
	command, script := filepath.Join(dir, "command"), filepath.Join(dir, "script")
	writeFile(t, command, string(text))
	chmod(t, command, 0o777)
	c := own
	c.Command = command
	t.Run("command", func(t *testing.T) {
		wantStartFault(t, c, NotRunning, fmt.Sprintf("%s can be changed by anybody (mode 0777)", command))
	})
	c.SHA256 = fmt.Sprintf("%x", sha256.Sum256(text))
	t.Run("checksum", func(t *testing.T) { wantStartFault(t, c, NotRunning, "can be changed by anybody") })

	writeFile(t, script, "x")
	chmod(t, script, 0o666)
	c = own
	c.Files = map[string]string{script: ""}
	t.Run("file", func(t *testing.T) { wantStartFault(t, c, NotRunning, script+" can be changed by anybody (mode 0666)") })
}

// When the right is taken away, the plugin starts by itself.
func TestPluginThatIsMadeSafe(t *testing.T) {
	c := config("p", "rpc")
	script := filepath.Join(t.TempDir(), "script")
	writeFile(t, script, "x")
	chmod(t, script, 0o666)
	c.Files = map[string]string{script: ""}
	w := newWorld(t, c)
	if _, err := w.one("p", pod(0, "")); err == nil {
		t.Fatal("it was started")
	}
	chmod(t, script, 0o644)
	w.ready("p")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.Chmod(path, mode))
}
