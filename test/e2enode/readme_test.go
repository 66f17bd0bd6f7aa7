package e2enode

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first manifest of README is applied as it is, and ends by itself: the servers go when three workers are done.
func TestReadme(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, manifest, _ := strings.Cut(string(readme), "```yaml\n")
	manifest, _, found := strings.Cut(manifest, "```")
	require.True(t, found)
	file := filepath.Join(t.TempDir(), "train.yaml")
	require.NoError(t, os.WriteFile(file, []byte(manifest), 0o644))
	s.kubectl("apply", "-f", file)
	f := s.awaitCompleted("train")
	s.requireOutcome("the Framework", f.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	for i, task := range f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		s.requireOutcome(fmt.Sprintf("server-%d", i), task.AttemptStatus.CompletionStatus.CompletionStatus, -220, "FrameworkAttemptCompletion")
	}
}
