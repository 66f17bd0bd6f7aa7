package controller

import (
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A Pod that succeeds and is deleted while no controller runs has left no result: its Task is retried as after any deletion.
func TestPodThatNobodySawEnd(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", func(s *v1.FrameworkSpec) { s.TaskRoles[0].Task.RetryPolicy.FancyRetryPolicy = true })
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.RunPod("a-w-0")
	w.taskReaches("a", "w", 0, v1.AttemptRunning)
	w.stop()
	w.EndPod("a-w-0", 0)
	w.Vanish(apitest.Pods, "a-w-0")
	w.start()
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	if p := w.task("a", "w", 0).RetryPolicyStatus; p.TotalRetriedCount != 1 || p.AccountableRetriedCount != 0 {
		t.Errorf("it is retried as %+v", p)
	}
	deleted := false
	for _, o := range w.History(apitest.Frameworks, "a") {
		if s := taskOfStatus(statusOf(o), "w", 0).AttemptStatus.CompletionStatus; s != nil {
			deleted = true
			require.Equal(t, completion.CodePodExternalDeleted, s.Code)
		}
	}
	require.True(t, deleted, "how the attempt ended was not stored")
}
