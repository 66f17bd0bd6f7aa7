package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// LogTails quotes the end of each component's log, for a test that has failed: the logs go with the cluster.
func (c *Cluster) LogTails() string { return c.home.logTails() }

func (h *home) logTails() string {
	const most = 1500
	var out strings.Builder
	paths, _ := filepath.Glob(h.path("clusters", "*", "logs", "*.log"))
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		fmt.Fprintf(&out, "--- %s\n%s\n", filepath.Base(path), text[max(0, len(text)-most):])
	}
	return out.String()
}
