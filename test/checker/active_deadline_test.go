package checker

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// endsByDeadline has an attempt that ends with -140 after it has run for `seconds` of 60, and its Task with -141 after as many of 50.
func endsByDeadline(seconds int64) *scene {
	began := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := newScene(1)
	s.store(func(f *v1.Framework) {
		f.Spec.ActiveDeadlineSeconds, f.Spec.TaskRoles[0].Task.ActiveDeadlineSeconds = new(int64(60)), new(int64(50))
		f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 1)}
	})
	s.createConfigMap()
	s.store(state(v1.AttemptRunning), task(0, func(t *v1.TaskStatus) { t.AttemptStatus.RunTime = &metav1.Time{Time: began} }), func(f *v1.Framework) {
		f.Status.ActiveTime = &v1.ActiveTimeStatus{Seconds: 1, Since: &metav1.Time{Time: began}}
	})
	over := func(code int32, phrase string) v1.CompletionStatus {
		return v1.CompletionStatus{Code: code, Phrase: phrase, Type: v1.CompletionType{Name: v1.CompletionFailed}}
	}
	s.store(decided(0, over(-141, "TaskDeadlineExceeded")), task(0, func(t *v1.TaskStatus) {
		t.TransitionTime = metav1.NewTime(began.Add(time.Duration(seconds) * time.Second))
	}))
	s.store(state(v1.AttemptDeletionPending), attemptDecided(over(-140, "DeadlineExceeded"), nil), func(f *v1.Framework) {
		f.Status.ActiveTime = &v1.ActiveTimeStatus{Seconds: seconds}
	})
	return s
}

func TestActiveDeadline(t *testing.T) {
	for seconds, want := range map[int64][]string{
		60: nil,
		59: {"it ended by its deadline after"},
		49: {"it ended by its deadline after", "Task a-0 ended by its deadline"},
		0:  {"it ended by its deadline after", "Task a-0 ended by its deadline", "it had run for 1 s"},
	} {
		var told []string
		for _, v := range Check(endsByDeadline(seconds).h, Options{}).Violations {
			if v.Guarantee == ActiveDeadline {
				told = append(told, v.Evidence)
			}
		}
		all := strings.Join(told, "\n")
		for _, says := range want {
			if !strings.Contains(all, says) {
				t.Errorf("%d s: %q does not say %q", seconds, all, says)
			}
		}
		if len(told) != len(want) {
			t.Errorf("%d s: %q", seconds, all)
		}
	}
}
