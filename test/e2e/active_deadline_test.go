package e2e

import (
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A Framework runs for its time, and ends with -140; a retry that was left does not follow.
func TestActiveDeadline(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("long", `{activeDeadlineSeconds: 6, retryPolicy: {maxRetryCount: -2}, taskRoles: [{name: a, task: {pod: `+pod("run-for", "1h")+`}}]}`)
	f := s.awaitState("long", v1.Completed, 0)
	if got := f.Status.AttemptStatus.CompletionStatus; got.Code != -140 || got.Phrase != "DeadlineExceeded" || got.Diagnostics != "activeDeadlineSeconds of 6 s is over" {
		t.Errorf("%+v", got)
	}
	if ran := f.Status.ActiveTime; ran == nil || ran.Seconds < 6 || ran.Since != nil {
		t.Errorf("it has run for %+v", ran)
	}
	if ran := f.Status.AttemptStatus.CompletionTime.Sub(f.Status.RunTime.Time); ran < 6*time.Second {
		t.Errorf("it ran for %s only", ran)
	}
	s.awaitEvents("long", "AttemptCompleted: attempt 0: DeadlineExceeded, code -140: activeDeadlineSeconds of 6 s is over", "Completed: completed after 0 retries: DeadlineExceeded")
	s.requireNothingOf("long")
}

// An attempt of a Task ends with -141, and its policy decides.
func TestTaskActiveDeadline(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("long", `{taskRoles: [{name: a, task: {activeDeadlineSeconds: 3, retryPolicy: {maxRetryCount: 1}, pod: `+pod("run-for", "1h")+`}}]}`)
	f := s.awaitState("long", v1.Completed, 0)
	const want = "Completed attempt=0 retried=0/0 code=-141 TaskDeadlineExceeded trigger=a-0\na-0 Completed retried=1/1 code=-141 TaskDeadlineExceeded\n"
	if got := describe(f.Status); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	if said := firstTask(f.Status).AttemptStatus.CompletionStatus.Diagnostics; said != "task.activeDeadlineSeconds of 3 s is over" {
		t.Errorf("%s", said)
	}
}

// Failures are kept, and successes are not.
func TestTTLOfAnOutcome(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	spec := func(code string) string {
		return `{ttlSecondsAfterFinished: 3600, ttlSecondsAfter: {succeeded: 0}, taskRoles: [{name: a, task: {pod: ` + pod("run-for", "0s", "exit-code", code) + `}}]}`
	}
	s.create("good", spec("0"))
	s.create("bad", spec("1"))
	untilGone(s, theFrameworks, "good")
	s.awaitState("bad", v1.Completed, 0)
}
