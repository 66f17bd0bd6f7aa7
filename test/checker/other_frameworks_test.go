package checker

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// What is recorded of another Framework has happened, and opens the gate of a role.
func TestOtherFrameworksAreChecked(t *testing.T) {
	success := []v1.StartedAfterStatus{{Framework: "g", UID: "g1", Outcome: v1.CompletionSucceeded}}
	for name, test := range map[string]struct {
		ended   v1.CompletionTypeName // of the other one; empty if it has not
		records []v1.StartedAfterStatus
		created []string
		says    string // empty if nothing is wrong
	}{
		"as it is to be":     {v1.CompletionSucceeded, success, []string{"a"}, ""},
		"too early":          {"", success, nil, "it records that g has Succeeded"},
		"another outcome":    {v1.CompletionFailed, success, nil, `its outcome was "Failed"`},
		"without a record":   {v1.CompletionSucceeded, nil, []string{"a"}, "Pods of role a may be created"},
		"success was needed": {v1.CompletionFailed, []v1.StartedAfterStatus{{Framework: "g", UID: "g1", Outcome: v1.CompletionFailed}}, []string{"a"}, "Pods of role a may be created"},
	} {
		s := newScene(1)
		s.f.Spec.TaskRoles[0].StartAfter = []v1.StartAfterSpec{{Framework: "g", When: v1.StartSucceeded}}
		other := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Namespace: s.f.Namespace, Name: "g", UID: "g1"}}
		if test.ended != "" {
			other.Status = &v1.FrameworkStatus{State: v1.Completed, AttemptStatus: v1.FrameworkAttemptStatus{
				CompletionStatus: &v1.FrameworkAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{Type: v1.CompletionType{Name: test.ended}}},
			}}
		}
		s.see(Observation{Version: s.next(), Framework: other})
		s.store(func(f *v1.Framework) {
			f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 1)}
			f.Status.StartedAfter, f.Status.Gates = test.records, &v1.RoleGates{Created: test.created}
		})
		var told []string
		report := Check(s.h, Options{})
		for _, v := range report.Violations {
			if v.Guarantee == StartedAfter {
				told = append(told, v.String())
			}
		}
		if all := strings.Join(told, "\n"); test.says == "" && all != "" || !strings.Contains(all, test.says) || report.Checks[StartedAfter] == 0 {
			t.Errorf("%s: got %q, want %q", name, all, test.says)
		}
	}
}
