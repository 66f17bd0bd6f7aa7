package e2enode

import (
	"fmt"
	"testing"
)

// The first manifest of README is applied unchanged, and ends by itself: the servers are deleted when three workers are done.
func TestReadme(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.applyText(yamlBlock(t, "../../README.md", "train"))
	f := s.awaitCompleted("train")
	s.requireOutcome("the Framework", f.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	for i, task := range f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		s.requireOutcome(fmt.Sprintf("server-%d", i), task.AttemptStatus.CompletionStatus.CompletionStatus, -220, "FrameworkAttemptCompletion")
	}
}
