package main

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// An ending consists of the facts that faults must not change.
func TestEnding(t *testing.T) {
	with := func(code int32, flagged bool) *v1.Framework {
		f := &v1.Framework{Status: &v1.FrameworkStatus{}}
		f.Status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{Code: code}}
		f.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "a", TaskStatuses: []v1.TaskStatus{{}, {DeletionPending: flagged}}},
			{Name: "b", TaskStatuses: []v1.TaskStatus{{DeletionPending: true}}}}
		return f
	}
	for want, f := range map[string]*v1.Framework{
		"gone": nil, "not ended": {}, "code=7 a=2": with(7, false), "code=7 a=1": with(7, true), "code=-210": with(stoppedCode, false),
	} {
		if got := ending(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// An end that differs from the end without faults is a problem, whatever the plan says.
func TestCompareWithRehearsal(t *testing.T) {
	s := &stage{plans: []plan{{name: "x"}, {name: "y"}}, rehearsed: map[string]string{"x": "code=0 a=1", "y": "gone"}}
	if got := s.compareWithRehearsal(map[string]string{"x": "code=0 a=1", "y": "gone"}); len(got) > 0 {
		t.Errorf("got %v of the same", got)
	}
	if got := s.compareWithRehearsal(map[string]string{"x": "code=1 a=1", "y": "gone"}); len(got) != 1 {
		t.Errorf("got %v of one that differs", got)
	}
}
