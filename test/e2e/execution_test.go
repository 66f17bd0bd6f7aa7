package e2e

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A stop ends running Tasks, leaves Tasks alone that have ended by themselves, and is not followed by a retry.
func TestStopWhileRunning(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("stopped", `{retryPolicy: {maxRetryCount: -2}, taskRoles: [{name: a, taskNumber: 3, task: {pod: `+pod()+`}}]}`)
	s.awaitAllRunning("stopped", 3)
	s.endPod("stopped-a-1", 0)
	s.await("stopped", "rid of a Task", func(f *v1.FrameworkStatus) bool { return task(f, "a", 1).State == v1.Completed })

	s.patch("stopped", `spec: {executionType: Stop}`)
	s.requireCompleted("stopped", `Completed attempt=0 retried=0/0 code=-210 StopFrameworkRequested
a-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
a-1 Completed retried=0/0 code=0 Succeeded
a-2 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
`)
}

// A Framework that is created without being started is held until it is started, despite other changes.
func TestCreateThenStart(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("held", `{executionType: Create, taskRoles: [{name: a, taskNumber: 2, task: {pod: `+pod("run-for", "1s")+`}}]}`)
	s.awaitState("held", v1.AttemptCreationPending, 0)
	s.patch("held", `spec: {description: still held}`)
	f := s.await("held", "seen again", func(f *v1.FrameworkStatus) bool { return f.ObservedGeneration == 2 })
	if f.Status.State != v1.AttemptCreationPending {
		t.Errorf("was not held:\n%s", describe(f.Status))
	}
	if _, err := s.configMaps.Get(t.Context(), v1.ConfigMapName("held"), metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("has a ConfigMap: %v", err)
	}

	s.patch("held", `spec: {executionType: Start}`)
	s.awaitState("held", v1.Completed, 0)
	s.requirePods(podCount{created: 2, gone: 2})
}

// A Framework that is stopped without having been started never runs.
func TestCreateThenStop(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("never", `{executionType: Create, taskRoles: [{name: a, taskNumber: 2, task: {pod: `+pod()+`}}]}`)
	s.awaitState("never", v1.AttemptCreationPending, 0)
	s.patch("never", `spec: {executionType: Stop}`)
	s.requireCompleted("never", `Completed attempt=0 retried=0/0 code=-210 StopFrameworkRequested
a-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
a-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
`)
	s.requirePods(podCount{})
}

// A stop does not wait for a retry to be due: the retry is executed at once, and stopped before it runs.
func TestStopDuringRetryDelay(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("waiting", `{retryPolicy: {maxRetryCount: 3, backoff: {initialDelaySec: 3600}}, taskRoles: [{name: a, task: {
		pod: `+pod("run-for", "0s", "exit-code", "1")+`}}]}`)
	s.await("waiting", "waiting for its retry", func(f *v1.FrameworkStatus) bool { return f.RetryPolicyStatus.RetryDelaySec != nil })
	s.patch("waiting", `spec: {executionType: Stop}`)
	s.requireCompleted("waiting", `Completed attempt=1 retried=1/1 code=-210 StopFrameworkRequested
a-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
`)
}

// requireCompleted waits until the Framework has completed, and compares its description.
func (s *story) requireCompleted(name, want string) {
	s.t.Helper()
	f := s.await(name, "Completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed })
	if got := describe(f.Status); got != want {
		s.t.Errorf("got:\n%swant:\n%s", got, want)
	}
}
