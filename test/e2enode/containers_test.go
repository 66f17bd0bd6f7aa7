package e2enode

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// A Pod keeps running when its main container has failed and nothing ends the one beside it. The Framework reports which one has ended and
// which one runs, and explain advises what to do about it at once.
func TestContainersLeft(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	plugin := s.plugin()
	s.apply("containersleft")
	s.awaitRunning("left", 1)
	s.until("explain names the containers", s.explains(plugin, "left", "worker/0", "Container main exited with code 1, but proxy is still running", "native sidecar", "completionContainers"))
	f := s.await("left", "waiting because of a container", func(f *v1.FrameworkStatus) bool {
		c := condition(f, v1.ConditionWaiting)
		return c != nil && c.Status == metav1.ConditionTrue && c.Reason == string(reason.ContainersLeft)
	})
	for _, want := range []string{"worker-0", "container main has ended, but proxy is still running", "exit code 1"} {
		if c := condition(f.Status, v1.ConditionWaiting); !strings.Contains(c.Message, want) {
			t.Errorf("the condition does not say %q: %s", want, c.Message)
		}
	}
	s.awaitRunning("left", 1) // all the same
}

// explains reports whether the output of kubectl framework explain on a Task has all of these texts.
func (s *story) explains(plugin func(...string) *exec.Cmd, name, task string, texts ...string) func(context.Context) bool {
	return func(context.Context) bool {
		got, err := plugin("explain", name, task).CombinedOutput()
		said := strings.Join(strings.Fields(string(got)), " ") // regardless of the width of lines
		return err == nil && !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(said, text) })
	}
}

// A Task with completionContainers ends as these end. The proxy beside them then gets SIGTERM, with its grace period.
func TestCompletionContainers(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("completioncontainers")
	f := s.awaitCompleted("named")
	s.requireOutcome("the Framework", f.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	roles := f.AttemptStatus.TaskRoleStatuses
	s.requireOutcome("good-0", roles[0].TaskStatuses[0].AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	bad := roles[1].TaskStatuses[0].AttemptStatus.CompletionStatus
	s.requireOutcome("bad-0", bad.CompletionStatus, 1, "ContainerUnrecognizedFailed")
	require.NotNil(t, bad.Pod)
	if judged := bad.Pod.Containers; len(judged) != 1 || judged[0].Name != "main" {
		t.Errorf("bad-0 is judged by %+v", judged)
	}
	s.podsOf("named", 0)
	for _, pod := range []string{"named-good-0", "named-bad-0"} {
		if got := s.log(pod, "proxy"); got != "told to end\n" {
			t.Errorf("the proxy in %s has logged %q", pod, got)
		}
	}
}

// A proxy that SIGTERM ends because main has failed does not hide the cause: the code is main's, which is retried as often as the Task
// allows, and not for ever.
func TestStoppedProxy(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("stoppedproxy")
	task := s.awaitCompleted("stopped").AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	end := task.AttemptStatus.CompletionStatus
	s.requireOutcome("the Task", end.CompletionStatus, 1, "ContainerUnrecognizedFailed")
	if n := len(end.Type.Attributes); n != 0 {
		t.Errorf("its failure is not unknown, but %s", end.Type.Attributes)
	}
	if retried := task.RetryPolicyStatus; retried.TotalRetriedCount != 1 || retried.AccountableRetriedCount != 1 {
		t.Errorf("it was retried %d times, of which %d counted", retried.TotalRetriedCount, retried.AccountableRetriedCount)
	}
	require.NotNil(t, end.Pod)
	if ended := end.Pod.Containers; len(ended) != 2 || ended[1].Name != "proxy" || ended[1].Code != 143 {
		t.Errorf("SIGTERM has not ended the proxy: %+v", ended)
	}
}
