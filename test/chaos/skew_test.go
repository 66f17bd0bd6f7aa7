package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The clock of a skewed program is wrong by the given amount, and still measures durations correctly.
func TestSkew(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "clock")
	require.NoError(t, buildSkewed(t.Context(), "./testdata/clock", binary, t.TempDir()))
	for text, want := range map[string]int64{"": 0, "61": 61, "-3600": -3600} {
		cmd := exec.Command(binary)
		cmd.Env = append(os.Environ(), skewVariable+"="+text)
		out, err := cmd.Output()
		require.NoError(t, err)
		var at, passed int64
		if _, err := fmt.Sscan(string(out), &at, &passed); err != nil {
			t.Fatal(err)
		}
		if off := at - want - time.Now().Unix(); off < -30 || off > 0 {
			t.Errorf("with %q it has the time wrong by %d s", text, at-time.Now().Unix())
		}
		if passed < 100 || passed > 10000 {
			t.Errorf("with %q a tenth of a second takes %d ms", text, passed)
		}
	}
}
