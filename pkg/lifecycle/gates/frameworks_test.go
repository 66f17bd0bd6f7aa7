package gates_test

import (
	"slices"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
)

// A Framework is recorded once its end is of use, its success takes the place of a failure, and it is forgotten when no role names it.
func TestCompleted(t *testing.T) {
	spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{
		{Name: "a", StartAfter: []v1.StartAfterSpec{{Framework: "x", When: v1.StartCompleted}, {Framework: "y", When: v1.StartSucceeded}}},
		{Name: "b", StartAfter: []v1.StartAfterSpec{{Framework: "x", When: v1.StartSucceeded}, {Role: "a"}}},
	}}
	failed := v1.StartedAfterStatus{Framework: "x", UID: "1", Outcome: v1.CompletionFailed}
	succeeded := v1.StartedAfterStatus{Framework: "x", UID: "2", Outcome: v1.CompletionSucceeded}
	other := v1.StartedAfterStatus{Framework: "gone", UID: "3", Outcome: v1.CompletionSucceeded}
	for name, test := range map[string]struct {
		stored  []v1.StartedAfterStatus
		seen    map[string]gates.Other
		want    []v1.StartedAfterStatus
		awaited []string
	}{
		"nothing":              {nil, nil, nil, []string{"x", "y"}},
		"one that runs":        {nil, map[string]gates.Other{"x": {UID: "1"}}, nil, []string{"x", "y"}},
		"failures":             {nil, map[string]gates.Other{"x": {UID: "1", Outcome: v1.CompletionFailed}, "y": {UID: "9", Outcome: v1.CompletionFailed}}, []v1.StartedAfterStatus{failed}, []string{"x", "y"}},
		"success":              {nil, map[string]gates.Other{"x": {UID: "2", Outcome: v1.CompletionSucceeded}}, []v1.StartedAfterStatus{succeeded}, []string{"y"}},
		"success anew":         {[]v1.StartedAfterStatus{failed}, map[string]gates.Other{"x": {UID: "2", Outcome: v1.CompletionSucceeded}}, []v1.StartedAfterStatus{succeeded}, []string{"y"}},
		"another failure":      {[]v1.StartedAfterStatus{failed}, map[string]gates.Other{"x": {UID: "5", Outcome: v1.CompletionFailed}}, []v1.StartedAfterStatus{failed}, []string{"x", "y"}},
		"failure anew":         {[]v1.StartedAfterStatus{succeeded}, map[string]gates.Other{"x": {UID: "1", Outcome: v1.CompletionFailed}}, []v1.StartedAfterStatus{succeeded}, []string{"y"}},
		"one that is unnamed":  {[]v1.StartedAfterStatus{other, succeeded}, nil, []v1.StartedAfterStatus{succeeded}, []string{"y"}},
		"one that is not seen": {[]v1.StartedAfterStatus{succeeded}, nil, []v1.StartedAfterStatus{succeeded}, []string{"y"}},
	} {
		got := gates.Completed(spec, test.stored, test.seen)
		if awaited := gates.AwaitedFrameworks(spec, got); !slices.Equal(got, test.want) || !slices.Equal(awaited, test.awaited) {
			t.Errorf("%s: got %+v, awaited %v", name, got, awaited)
		}
	}
}
