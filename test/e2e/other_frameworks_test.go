package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Roles start after another Framework: one that does not exist yet, one that fails, and the one that is made anew and succeeds. That it is
// deleted then changes nothing.
func TestStartAfterAnotherFramework(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("train", `{taskRoles: [
		{name: report, startAfter: [{framework: data, when: Completed}], task: {pod: `+pod()+`}},
		{name: worker, taskNumber: 2, startAfter: [{framework: data, when: Succeeded}], task: {retryPolicy: {maxRetryCount: 1}, pod: `+pod()+`}}]}`)
	s.awaitCondition("train", v1.ConditionWaiting, metav1.ConditionTrue, "StartBlocked")
	s.create("data", `{taskRoles: [{name: a, task: {pod: `+pod()+`}}]}`)
	s.awaitCondition("train", v1.ConditionWaiting, metav1.ConditionTrue, "StartsLater")
	s.await("data", "its Pod", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 1 })
	s.endPod("data-a-0", 9)
	s.await("train", "the role that is content with a failure", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 1 })
	s.awaitCondition("train", v1.ConditionWaiting, metav1.ConditionTrue, "StartBlocked")

	require.NoError(t, s.frameworks.Delete(t.Context(), "data", metav1.DeleteOptions{}))
	s.eventually(func(ctx context.Context) error {
		if _, err := s.frameworks.Get(ctx, "data", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the other Framework is still there (%v)", err)
		}
		return nil
	})
	s.create("data", `{taskRoles: [{name: a, task: {pod: `+pod("run-for", "0s")+`}}]}`)
	f := s.await("train", "all of it", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 3 })
	if after := f.Status.StartedAfter; len(after) != 1 || after[0].Framework != "data" || after[0].Outcome != v1.CompletionSucceeded {
		t.Errorf("it has started after %+v", after)
	}
	require.NoError(t, s.frameworks.Delete(t.Context(), "data", metav1.DeleteOptions{}))
	s.endPod("train-worker-0", 9)
	s.await("train", "the retry", func(f *v1.FrameworkStatus) bool {
		return task(f, "worker", 0).AttemptStatus.ID == 1 && f.Tasks.Running == 3
	})
	for _, name := range []string{"train-report-0", "train-worker-0", "train-worker-1"} {
		s.endPod(name, 0)
	}
	s.await("train", "its success", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed && f.Tasks.Succeeded == 3 })
}
