package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// An initializer runs alone, and the gate of the attempt is open meanwhile. When it has succeeded, the Pods of the trainers and of their
// launcher are created together. The launcher may start when all trainers run; a later restart of one closes nothing, and a success stays
// one.
func TestStartOrder(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("order", `{taskRoles: [
		{name: init, task: {pod: `+pod()+`}},
		{name: trainer, taskNumber: 2, startAfter: [{role: init, when: Succeeded}], task: {retryPolicy: {maxRetryCount: 1, restart: Framework}, pod: `+pod("hold", "true")+`}},
		{name: launcher, startAfter: [{role: trainer}], task: {pod: `+pod()+`}}]}`)
	s.await("order", "its initializer running alone", func(f *v1.FrameworkStatus) bool { return f.Gate != "" && f.Tasks.Running == 1 })
	s.awaitCondition("order", v1.ConditionWaiting, metav1.ConditionTrue, "StartsLater")
	list, err := s.pods.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)

	s.endPod("order-init-0", 0)
	f := s.await("order", "its trainers held by their node", func(f *v1.FrameworkStatus) bool {
		return f.Tasks.Succeeded == 1 && f.Tasks.Running == 1 && f.Gates != nil && len(f.Gates.Created) == 2
	})
	if strings.Join(f.Status.Gates.Open, ",") != "trainer" || f.Status.Gate != "" {
		t.Errorf("the gates are %q and %+v", f.Status.Gate, f.Status.Gates)
	}
	initEnded := task(f.Status, "init", 0).CompletionTime
	list, err = s.pods.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, p := range list.Items {
		if p.CreationTimestamp.Before(initEnded) {
			t.Errorf("Pod %s was there before the initializer had succeeded", p.Name)
		}
	}
	s.unholdPod("order-trainer-0")
	s.unholdPod("order-trainer-1")
	f = s.await("order", "its launcher let go", func(f *v1.FrameworkStatus) bool { return f.Gate != "" && len(f.Gates.Open) == 2 })
	opened := f.Status.Gates.Revision

	s.endPod("order-trainer-0", 9)
	f = s.await("order", "all but the initializer starting again", func(f *v1.FrameworkStatus) bool {
		return task(f, "trainer", 1).AttemptStatus.ID == 1 && task(f, "launcher", 0).AttemptStatus.ID == 1
	})
	if task(f.Status, "init", 0).State != v1.Completed || f.Status.Gates.Revision != opened {
		t.Errorf("the initializer is %s, and the gates are %+v", task(f.Status, "init", 0).State, f.Status.Gates)
	}
}

// A role cannot be removed while others wait for it; first they must stop waiting.
func TestRoleIsRemovedThatOthersWaitFor(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("needed", `{taskRoles: [{name: a, task: {pod: `+pod()+`}}, {name: b, startAfter: [{role: a, when: Succeeded}], task: {pod: `+pod()+`}}]}`)
	s.awaitRunning("needed", 1)
	err := s.tryPatch(t, "needed", `[{op: remove, path: /spec/taskRoles/0}]`)
	if err == nil || !strings.Contains(err.Error(), "startAfter names a role that is not in taskRoles") {
		t.Errorf("removing a role gives %v", err)
	}
	s.patch("needed", `[{op: remove, path: /spec/taskRoles/1/startAfter}, {op: remove, path: /spec/taskRoles/0}]`)
	f := s.await("needed", "without the role", func(f *v1.FrameworkStatus) bool { return countTasks(f) == 1 && f.Tasks.Running == 1 })
	if f.Status.Gates != nil {
		t.Errorf("the gates are %+v", f.Status.Gates)
	}
}
