package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The same seed gives the same Frameworks and changes, another one others.
func TestSeed(t *testing.T) {
	plans := func(seed uint64) []plan { return newPlanner(seed, time.Minute).plans(100) }
	if !reflect.DeepEqual(plans(7), plans(7)) {
		t.Error("the same seed gives other plans")
	}
	if reflect.DeepEqual(plans(7), plans(8)) {
		t.Error("another seed gives the same plans")
	}
}

// Every plan is a Framework that the API server accepts, and meets the assumptions of its end.
func TestPlans(t *testing.T) {
	shapesSeen := map[string]bool{}
	for _, p := range newPlanner(1, time.Minute).plans(10 * len(shapes)) {
		var spec v1.FrameworkSpec
		if err := json.Unmarshal([]byte(mustJSON(p.spec)), &spec); err != nil {
			t.Fatalf("%s: %v in %s", p.name, err, p.spec)
		}
		shapesSeen[strings.TrimRight(p.name, "0123456789")] = true
		if p.prone && !spec.RetryPolicy.FancyRetryPolicy {
			t.Errorf("%s is prone to deletions, which it does not survive", p.name)
		}
		for _, role := range spec.TaskRoles {
			pod, err := role.Task.Pod.Decode()
			if err != nil || (len(pod.Spec.Tolerations) == 1) != p.prone {
				t.Errorf("%s is prone: %t, and its Pods tolerate %v (%v)", p.name, p.prone, pod.Spec.Tolerations, err)
			}
		}
		if p.begin < 0 || p.begin >= time.Minute {
			t.Errorf("%s begins at %s", p.name, p.begin)
		}
		for _, s := range p.steps {
			if s.patch != "" && !json.Valid([]byte(s.patch)) {
				t.Errorf("%s is patched with %s", p.name, s.patch)
			}
		}
	}
	if len(shapesSeen) != len(shapes) {
		t.Errorf("shapes are %v", shapesSeen)
	}
}

// Frameworks that begin afterwards need the same assumptions, and begin after the last fault.
func TestAfterwards(t *testing.T) {
	for _, p := range newPlanner(1, time.Second).afterwards(time.Minute) {
		var spec v1.FrameworkSpec
		if err := json.Unmarshal([]byte(mustJSON(p.spec)), &spec); err != nil || p.begin < time.Minute+calmBefore {
			t.Errorf("%s begins at %s: %v in %s", p.name, p.begin, err, p.spec)
		}
	}
}

func TestCompare(t *testing.T) {
	want := end{code: 1, accountable: exactly(1), roles: map[string]roleEnd{"a": {tasks: 1, codes: []int32{1, 2}, accountable: between{0, 1}}}}
	ended := func(change func(*v1.FrameworkStatus)) *v1.FrameworkStatus {
		f := &v1.FrameworkStatus{State: v1.Completed, RetryPolicyStatus: v1.RetryPolicyStatus{TotalRetriedCount: 3, AccountableRetriedCount: 1}}
		f.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{Code: 1}}
		f.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "a", TaskStatuses: []v1.TaskStatus{{AttemptStatus: v1.TaskAttemptStatus{
			CompletionStatus: &v1.TaskAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{Code: 2}}}}}}}
		change(f)
		return f
	}
	task := func(f *v1.FrameworkStatus) *v1.TaskStatus {
		return &f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	}
	tests := []struct {
		name   string
		change func(*v1.FrameworkStatus)
		want   string
	}{
		{"as wanted", func(*v1.FrameworkStatus) {}, ""},
		{"not ended", func(f *v1.FrameworkStatus) { f.State = v1.AttemptRunning }, "has not ended"},
		{"code", func(f *v1.FrameworkStatus) { f.AttemptStatus.CompletionStatus.Code = 0 }, "code is 0"},
		{"counts", func(f *v1.FrameworkStatus) { f.RetryPolicyStatus.AccountableRetriedCount = 2 }, "2 retries count"},
		{"more than was deleted", func(f *v1.FrameworkStatus) { f.RetryPolicyStatus.TotalRetriedCount = 4 }, "3 retries do not count"},
		{"no role", func(f *v1.FrameworkStatus) { f.AttemptStatus.TaskRoleStatuses = nil }, "no role a"},
		{"flagged Task", func(f *v1.FrameworkStatus) { task(f).DeletionPending = true }, "has 0 Tasks"},
		{"code of a Task", func(f *v1.FrameworkStatus) { task(f).AttemptStatus.CompletionStatus.Code = 3 }, "is 3, not one of"},
		{"counts of a Task", func(f *v1.FrameworkStatus) { task(f).RetryPolicyStatus.AccountableRetriedCount = 2 }, "a-0: 2 retries"},
		{"no outcome of a Task", func(f *v1.FrameworkStatus) { task(f).AttemptStatus.CompletionStatus = nil }, "no outcome"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(want.compare(ended(tt.change), true, 2), "; ")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if want.compare(nil, false, 0) == nil || (end{gone: true}).compare(nil, true, 0) == nil || (end{gone: true}).compare(nil, false, 0) != nil {
		t.Error("whether it exists is not compared")
	}
}
