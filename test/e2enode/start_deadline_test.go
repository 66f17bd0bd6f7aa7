package e2enode

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// Problems that a real node reports for Pods that do not get to run end them by the matching deadline, with the node's message. A missing
// command is a failure by itself, and a container that initializes the Pod may take its time.
func TestStartDeadlines(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	// A kubelet that starts all stories at once on a small machine takes half a minute to report what has started.
	started := machine.Within(time.Minute)
	s.applyFile("testdata/startdeadlines.yaml",
		"Sec: 25", fmt.Sprintf("Sec: %.0f", started.Seconds()),
		`[sleep, "40"]`, fmt.Sprintf(`[sleep, "%.0f"]`, (started+15*time.Second).Seconds()))
	for _, want := range []struct {
		name    string
		code    int32
		phrase  string
		retried int32
		says    []string
	}{
		{"image", -131, "PodImagePullFailed", 1, []string{"startDeadline.imagePullSec of 10 s is over", "registry.invalid/no/such:image"}},
		{"secret", -132, "PodContainerCreateFailed", 0, []string{"startDeadline.containerCreateSec of 10 s is over", `CreateContainerConfigError: secret "nosuch" not found`}},
		{"volume", -133, "PodStartTimeout", 0, []string{"startDeadline.notRunningSec of 15 s is over", "its image, volumes or network take long"}},
		{"command", -1207, "ContainerStartCmdNotFound", 0, []string{"/no/such/program"}},
		{"slowinit", 0, "Succeeded", 0, nil},
	} {
		task := s.awaitCompleted(want.name).AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
		c := task.AttemptStatus.CompletionStatus
		s.requireOutcome(want.name, c.CompletionStatus, want.code, want.phrase)
		for _, text := range want.says {
			if !strings.Contains(c.Diagnostics, text) {
				t.Errorf("%s: the diagnostics do not have %q: %s", want.name, text, c.Diagnostics)
			}
		}
		if n := task.RetryPolicyStatus.TotalRetriedCount; n != want.retried {
			t.Errorf("%s: retried %d times", want.name, n)
		}
	}
}
