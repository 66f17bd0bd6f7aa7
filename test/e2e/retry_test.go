package e2e

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A rescale between two attempts leaves the old one alone and applies to the new one.
func TestRescaleDuringRetryDelay(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("rescaled", `{retryPolicy: {maxRetryCount: 1, backoff: {initialDelaySec: 8}}, taskRoles: [{name: a, taskNumber: 1, task: {
		pod: `+pod()+`}}]}`)
	s.awaitAllRunning("rescaled", 1)
	s.endPod("rescaled-a-0", 1)
	f := s.await("rescaled", "waiting for its retry", func(f *v1.FrameworkStatus) bool { return f.RetryPolicyStatus.RetryDelaySec != nil })
	if got, want := describe(f.Status), `AttemptCompleted attempt=0 retried=0/0 delay=8 code=1 ContainerUnrecognizedFailed trigger=a-0
a-0 Completed retried=0/0 code=1 ContainerUnrecognizedFailed
`; got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}

	s.patch("rescaled", scaleTo(3))
	f = s.await("rescaled", "seen again", func(f *v1.FrameworkStatus) bool { return f.ObservedGeneration == 2 })
	if f.Status.State != v1.AttemptCompleted || countTasks(f.Status) != 1 {
		t.Errorf("the old attempt was changed:\n%s", describe(f.Status))
	}
	f = s.awaitAllRunning("rescaled", 3)
	if got, want := retries(f.Status.RetryPolicyStatus), "retried=1/1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
