package e2enode

import (
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A kubelet that refuses a Pod refuses the next one as well, and so it is asked less and less often.
func TestRefusedByTheNode(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("refused")
	f := s.await("refused", "retried 4 times", func(f *v1.FrameworkStatus) bool {
		roles := f.AttemptStatus.TaskRoleStatuses
		return len(roles) > 0 && roles[0].TaskStatuses[0].RetryPolicyStatus.TotalRetriedCount >= 4
	})
	task := f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	if n := task.RetryPolicyStatus.AccountableRetriedCount; n != 0 {
		t.Errorf("%d retries count, though the node has refused the Pods", n)
	}
	// The pauses are 0, 1, 2 and 4 s.
	if took := task.AttemptStatus.StartTime.Sub(task.StartTime.Time); took < 6*time.Second {
		t.Errorf("the fifth Pod came after %s", took)
	}
}
