package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A deleted Framework disappears after all its objects. Nothing is created for it meanwhile, although its Tasks would be retried.
func TestDeleteForeground(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("deleted", `{retryPolicy: {maxRetryCount: -2}, taskRoles: [{name: a, taskNumber: 3, task: {
		retryPolicy: {fancyRetryPolicy: true, maxRetryCount: -2}, pod: `+pod("terminate-after", "2s")+`}}]}`)
	s.awaitAllRunning("deleted", 3)
	s.delete("deleted", metav1.DeletePropagationForeground)
	untilGone(s, theFrameworks, "deleted")
	s.requireNothingOf("deleted")
	s.requirePods(podCount{created: 3, gone: 3})
}

// requireNothingOf: no dependent of the Framework exists.
func (s *story) requireNothingOf(name string) {
	s.t.Helper()
	if left := s.dependents(name); len(left) > 0 {
		s.t.Errorf("left are %s", left)
	}
}

// requireNothingOfAttempt: no dependent of that attempt exists, regardless of the next one's.
func (s *story) requireNothingOfAttempt(name string, attempt int) {
	s.t.Helper()
	for dependent, of := range s.dependents(name) {
		if of == fmt.Sprint(attempt) {
			s.t.Errorf("left of attempt %s is %s", of, dependent)
		}
	}
}

// dependents returns the attempt of the Framework that each of its Pods and ConfigMaps belongs to.
func (s *story) dependents(name string) map[string]string {
	s.t.Helper()
	of := map[string]string{}
	pods, err := s.pods.List(s.t.Context(), frameworkLabel(name))
	require.NoError(s.t, err)
	for _, p := range pods.Items {
		of["Pod "+p.Name] = p.Annotations[v1.KeyFrameworkAttemptID]
	}
	configMaps, err := s.configMaps.List(s.t.Context(), frameworkLabel(name))
	require.NoError(s.t, err)
	for _, c := range configMaps.Items {
		of["ConfigMap "+c.Name] = c.Annotations[v1.KeyFrameworkAttemptID]
	}
	return of
}

// A Framework may be deleted and created again at once under the same name. The new one runs when the old one's Pods
// are gone; that they do not meet is for the checker to see.
func TestRecreateAtOnce(t *testing.T) {
	t.Parallel()
	spec := roleOf(3, pod("terminate-after", "2s"))
	t.Run("after foreground deletion", func(t *testing.T) {
		t.Parallel()
		s := newStory(t)
		s.create("again", spec)
		old := s.awaitAllRunning("again", 3)
		s.delete("again", metav1.DeletePropagationForeground)
		s.eventually(func(ctx context.Context) error { return s.tryCreate(ctx, "again", spec) })
		s.requireAnother("again", old)
	})
	t.Run("after background deletion", func(t *testing.T) {
		t.Parallel()
		s := newStory(t)
		s.create("again", spec)
		old := s.awaitAllRunning("again", 3)
		s.delete("again", metav1.DeletePropagationBackground)
		s.create("again", spec)
		s.awaitCondition("again", v1.ConditionWaiting, metav1.ConditionTrue, "NameConflict")
		s.requireAnother("again", old)
	})
}

func (s *story) requireAnother(name string, old *v1.Framework) {
	s.t.Helper()
	f := s.awaitAllRunning(name, 3)
	if f.UID == old.UID {
		s.t.Error("it is the old one")
	}
	s.requirePods(podCount{created: 6, gone: 3})
}

// Something that the garbage collector waits for, and that is no Pod, holds an attempt up for a minute, not for ever.
func TestGarbageThatNeverGoes(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("held", roleOf(1, pod()))
	s.awaitAllRunning("held", 1)
	attempt, err := s.configMaps.Get(t.Context(), "held-attempt", metav1.GetOptions{})
	require.NoError(t, err)
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name:       "owned",
		Finalizers: []string{"example.com/never"},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "ConfigMap", Name: attempt.Name, UID: attempt.UID, BlockOwnerDeletion: new(true)}},
	}}
	if _, err := s.configMaps.Create(t.Context(), owned, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	defer s.setConfigMapFinalizers("owned", `null`)
	s.patch("held", `spec: {executionType: Stop}`)
	s.awaitCondition("held", v1.ConditionWaiting, metav1.ConditionTrue, "ConfigMapTerminating")
	s.awaitState("held", v1.Completed, 0)
	s.requireNothingOf("held")
}

// A foreign finalizer keeps Pods that have ended. The Task continues, its next Pod waits for the name, and the attempt ends although its
// last Pod still exists.
func TestPodsThatFinalizersKeep(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	template := strings.Replace(pod("run-for", "0s", "exit-codes", "1,0"), "metadata: {", "metadata: {finalizers: [example.com/keep], ", 1)
	s.create("kept", `{taskRoles: [{name: a, task: {retryPolicy: {maxRetryCount: 1}, pod: `+template+`}}]}`)
	waits := s.awaitCondition("kept", v1.ConditionWaiting, metav1.ConditionTrue, "PodTerminating")
	if !strings.Contains(waits.Message, "example.com/keep") {
		t.Errorf("it waits: %s", waits.Message)
	}
	s.await("kept", "waiting with its retry", func(f *v1.FrameworkStatus) bool {
		a := task(f, "a", 0)
		return a.AttemptStatus.ID == 1 && a.State == v1.AttemptCreationPending
	})
	first := until(s, thePods, "kept-a-0", "there", func(*corev1.Pod) bool { return true })
	s.removePodFinalizers("kept-a-0")
	until(s, thePods, "kept-a-0", "the next one", func(p *corev1.Pod) bool { return p.UID != first.UID })
	s.requireCompleted("kept", "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-0\na-0 Completed retried=1/1 code=0 Succeeded\n")
	s.removePodFinalizers("kept-a-0")
	s.requireNothingOf("kept")
}

// A completed Framework is deleted when its retention is over.
func TestTTL(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("shortlived", `{ttlSecondsAfterFinished: 3, taskRoles: [{name: a, task: {pod: `+pod("run-for", "0s")+`}}]}`)
	f := s.awaitState("shortlived", v1.Completed, 0)
	untilGone(s, theFrameworks, "shortlived")
	if kept := time.Since(f.Status.CompletionTime.Time); kept < 3*time.Second {
		t.Errorf("was kept for %s only", kept)
	}
	s.requireNothingOf("shortlived")
}

// A Pod that does not terminate in time is deleted by force, whoever requested its deletion, and its Task is retried.
func TestForceDeletion(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("stuck", `{taskRoles: [{name: a, taskNumber: 2, task: {podGracefulDeletionTimeoutSec: 3,
		retryPolicy: {fancyRetryPolicy: true}, pod: `+pod("terminate-after", "1h")+`}}]}`)
	s.awaitAllRunning("stuck", 2)
	start := time.Now()
	s.deletePod("stuck-a-0")
	f := s.await("stuck", "running in a second attempt of a Task", func(f *v1.FrameworkStatus) bool {
		a := task(f, "a", 0)
		return a.AttemptStatus.ID == 1 && a.State == v1.AttemptRunning
	})
	if took := time.Since(start); took < 2*time.Second { // the API server's times have whole seconds
		t.Errorf("was deleted by force after %s", took)
	}
	if got, want := describeTask(*task(f.Status, "a", 0)), "AttemptRunning retried=1/0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	// A stop leaves the deletion to the garbage collector; the timeout applies to it, too.
	s.patch("stuck", `spec: {executionType: Stop}`)
	s.awaitState("stuck", v1.Completed, 0)
	s.requirePods(podCount{created: 3, gone: 3})
}

// Without a timeout, the end of an attempt waits for Pods that are slow to terminate.
func TestSlowTermination(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("slow", roleOf(2, pod("terminate-after", "1h")))
	s.awaitAllRunning("slow", 2)
	s.patch("slow", `spec: {executionType: Stop}`)
	s.awaitState("slow", v1.AttemptDeleting, 0)
	for _, pod := range []string{"slow-a-0", "slow-a-1"} {
		until(s, thePods, pod, "terminating", func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
	}
	s.endTermination("slow-a-0")
	s.await("slow", "waiting for its other Pod", func(f *v1.FrameworkStatus) bool {
		return f.State == v1.AttemptDeleting && task(f, "a", 0).State == v1.Completed
	})
	s.endTermination("slow-a-1")
	s.awaitState("slow", v1.Completed, 0)
	s.requireNothingOf("slow")
}

// Setting a timeout helps a Framework whose Pod is already stuck.
func TestForceDeletionOfStuckPod(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("stuck", roleOf(1, pod("terminate-after", "1h")))
	s.awaitAllRunning("stuck", 1)
	s.patch("stuck", `spec: {executionType: Stop}`)
	s.awaitState("stuck", v1.AttemptDeleting, 0)
	s.patch("stuck", `[{op: add, path: /spec/taskRoles/0/task/podGracefulDeletionTimeoutSec, value: 0}]`)
	s.awaitState("stuck", v1.Completed, 0)
}

// The attempt's ConfigMap belongs to the controller, but somebody may delete it. That is a transient failure.
func TestConfigMapDeleted(t *testing.T) {
	t.Parallel()
	t.Run("retried", func(t *testing.T) {
		t.Parallel()
		s := newStory(t)
		s.create("robbed", `{retryPolicy: {fancyRetryPolicy: true}, taskRoles: [{name: a, taskNumber: 2, task: {pod: `+pod()+`}}]}`)
		s.awaitAllRunning("robbed", 2)
		s.deleteConfigMap(v1.ConfigMapName("robbed"))
		s.awaitState("robbed", v1.AttemptRunning, 1)
		f := s.awaitAllRunning("robbed", 2)
		if got, want := retries(f.Status.RetryPolicyStatus), "retried=1/0"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("final", func(t *testing.T) {
		t.Parallel()
		s := newStory(t)
		s.create("robbed", roleOf(2, pod("terminate-after", "1h")))
		s.awaitAllRunning("robbed", 2)
		s.deleteConfigMap(v1.ConfigMapName("robbed"))
		for i, pod := range []string{"robbed-a-0", "robbed-a-1"} {
			// A Pod that disappears before it was seen terminating counts as cut short: the attempt has ended by then.
			s.await("robbed", pod+" seen terminating", func(f *v1.FrameworkStatus) bool { return task(f, "a", i).State == v1.AttemptDeleting })
			s.endTermination(pod)
		}
		s.requireCompleted("robbed", `Completed attempt=0 retried=0/0 code=-100 ConfigMapExternalDeleted
a-0 Completed retried=0/0 code=-101 PodExternalDeleted
a-1 Completed retried=0/0 code=-101 PodExternalDeleted
`)
	})
}
