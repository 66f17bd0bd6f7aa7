package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that anybody may change is used, as before, but with a warning. In a mounted ConfigMap, links have the mode
// 0777, and the mode of their target counts.
func TestFileThatAnybodyMayChange(t *testing.T) {
	dir := t.TempDir()
	file, path := filepath.Join(dir, "..data.yaml"), filepath.Join(dir, "config.yaml")
	write(t, file, "{}")
	link(t, "..data.yaml", path)
	for mode, want := range map[os.FileMode]string{0o600: "", 0o644: "", 0o664: "", 0o666: "can be changed by anybody", 0o777: "chmod o-w"} {
		require.NoError(t, os.Chmod(file, mode))
		c, err := Load(path)
		require.NoError(t, err)
		got := strings.Join(c.Warnings(), "; ")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("mode %o: got %q, want %q", mode, got, want)
		}
	}
}
