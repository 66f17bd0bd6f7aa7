package e2enode

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/node"
)

// The kernel kills a container that exceeds its memory limit. That would happen again, so it is not retried.
func TestOOM(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("oom")
	f := s.awaitCompleted("oom")
	task := f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	s.requireOutcome("the Task", task.AttemptStatus.CompletionStatus.CompletionStatus, -1200, "ContainerDockerOOMKilled")
	s.requireOutcome("the Framework", f.AttemptStatus.CompletionStatus.CompletionStatus, -1200, "ContainerDockerOOMKilled")
	for _, want := range []string{`"reason":"OOMKilled"`, `"code":137`} {
		if got := task.AttemptStatus.CompletionStatus.Diagnostics; !strings.Contains(got, want) {
			t.Errorf("the diagnostics do not have %s: %s", want, got)
		}
	}
	// containerd may hear of the kill only after it has reported the end. Then all that is known is the signal, after which another
	// attempt is right.
	unexplained := int32(0)
	for _, e := range task.EarlierAttempts {
		if e.Code == 137 {
			unexplained++
			t.Logf("containerd has not said in attempt %d that the memory was the reason", e.ID)
		}
	}
	if n := task.RetryPolicyStatus.TotalRetriedCount + f.RetryPolicyStatus.TotalRetriedCount - unexplained; n != 0 {
		t.Errorf("tried again %d times", n)
	}
}

// An image that cannot be pulled holds its Framework up, which reports it, until somebody intervenes.
func TestImage(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("image")
	s.kubectl("wait", "--for=condition=Waiting", "framework/image", "--timeout="+patience.String())
	f := s.await("image", "waiting for its image", func(f *v1.FrameworkStatus) bool {
		c := condition(f, v1.ConditionWaiting)
		return c != nil && c.Status == metav1.ConditionTrue && c.Reason == "ImageNotPulled"
	})
	for _, want := range []string{"image-a-0", node.Name, "registry.invalid/no/such:image"} {
		if c := condition(f.Status, v1.ConditionWaiting); !strings.Contains(c.Message, want) {
			t.Errorf("the condition does not name %s: %s", want, c.Message)
		}
	}
	if got := s.kubectl("describe", "framework", "image"); !strings.Contains(got, "ImageNotPulled") {
		t.Errorf("kubectl describe does not say why:\n%s", got)
	}
	s.kubectl("patch", "framework", "image", "--type=merge", "--patch", `{"spec": {"executionType": "Stop"}}`)
	s.requireOutcome("the Framework", s.awaitCompleted("image").AttemptStatus.CompletionStatus.CompletionStatus,
		-210, "StopFrameworkRequested")
}

func condition(f *v1.FrameworkStatus, name string) *metav1.Condition {
	for i := range f.Conditions {
		if f.Conditions[i].Type == name {
			return &f.Conditions[i]
		}
	}
	return nil
}

// A program that ends because of SIGTERM has exit code 143. If only the program got the signal, that is the code; if the Pod was deleted,
// the deletion is the reason, and the program has its grace period.
func TestSIGTERM(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("sigterm")
	for _, pod := range []string{"sigterm-server-0", "sigterm-server-1"} {
		s.awaitPod(pod, "running", running)
		s.until(pod+" is up", func(context.Context) bool { return s.log(pod, "app") == "up\n" })
	}
	s.kubectl("exec", "sigterm-server-0", "--", "sh", "-c", "kill -TERM 1")
	s.kubectl("delete", "pod", "sigterm-server-1", "--wait=false")
	f := s.awaitCompleted("sigterm")
	tasks := f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses
	s.requireOutcome("Task 0", tasks[0].AttemptStatus.CompletionStatus.CompletionStatus, 143, "ContainerSigTermReceived")
	s.requireOutcome("Task 1", tasks[1].AttemptStatus.CompletionStatus.CompletionStatus, -101, "PodExternalDeleted")
	for _, pod := range []string{"sigterm-server-0", "sigterm-server-1"} {
		if got := s.log(pod, "app"); got != "up\ntold to end\n" {
			t.Errorf("%s has logged %q", pod, got)
		}
	}
}
