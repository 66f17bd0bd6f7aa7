package e2enode

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// A barrier whose account may not read Frameworks reports it while it waits for the permission, and soon gives up. If the kubelet restarts
// it, the Framework shows its termination message.
func TestBarrierWithoutPermission(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("nopermission")
	const missing = "the ServiceAccount of this Pod may not get frameworks"
	s.until("the barrier says that it waits for a permission", func(context.Context) bool {
		return strings.Contains(s.log("never-worker-0", "barrier"), "not permitted to read the framework")
	})
	if pod := s.awaitPod("never-worker-0", "there", anyPod); pod.Status.InitContainerStatuses[0].State.Terminated != nil {
		t.Error("the barrier had ended before it said why")
	}

	end := s.awaitCompleted("never").AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.CompletionStatus
	s.requireOutcome("the Task", end.CompletionStatus, 210, "ContainerPermanentFailed")
	if !strings.Contains(end.Diagnostics, missing) {
		t.Errorf("the diagnostics do not name the permission: %s", end.Diagnostics)
	}

	f := s.await("onfailure", "waiting because its barrier crashes", func(f *v1.FrameworkStatus) bool {
		c := condition(f, v1.ConditionWaiting)
		return c != nil && c.Status == metav1.ConditionTrue && c.Reason == string(reason.ContainerCrashing)
	})
	for _, want := range []string{"worker-0", "barrier", "exit code 210", missing} {
		if c := condition(f.Status, v1.ConditionWaiting); !strings.Contains(c.Message, want) {
			t.Errorf("the condition does not say %q: %s", want, c.Message)
		}
	}
	last := s.awaitPod("onfailure-worker-0", "there", anyPod).Status.InitContainerStatuses[0].LastTerminationState.Terminated
	if took := last.FinishedAt.Sub(last.StartedAt.Time); took < 25*time.Second || took > 60*time.Second {
		t.Errorf("the barrier gave up after %s", took)
	}
	if got := real.Logs(s.namespace); strings.Contains(got, "must not happen") {
		t.Errorf("an app has run:\n%s", got)
	}
}

func anyPod(*corev1.Pod) bool { return true }
