package explain

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Which role has not started, for which it waits, and how far that is.
func TestStartOrder(t *testing.T) {
	running := []v1.TaskStatus{{State: v1.AttemptRunning}, {Index: 1, State: v1.AttemptPreparing}}
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Spec: v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{
		{Name: "worker", TaskNumber: 2},
		{Name: "launcher", TaskNumber: 1, StartAfter: []v1.StartAfterSpec{{Role: "worker"}}},
		{Name: "mail", TaskNumber: 1, StartAfter: []v1.StartAfterSpec{{Role: "report"}}},
		{Name: "report", TaskNumber: 1, StartAfter: []v1.StartAfterSpec{{Role: "worker", When: v1.StartSucceeded}, {Role: "launcher", When: v1.StartReady}}},
	}}, Status: &v1.FrameworkStatus{State: v1.AttemptRunning, AttemptStatus: v1.FrameworkAttemptStatus{TaskRoleStatuses: []v1.TaskRoleStatus{
		{Name: "worker", TaskStatuses: running},
		{Name: "launcher", TaskStatuses: []v1.TaskStatus{{State: v1.AttemptPreparing}}},
		{Name: "mail", TaskStatuses: []v1.TaskStatus{{State: v1.AttemptCreationPending}}},
		{Name: "report", TaskStatuses: []v1.TaskStatus{{State: v1.AttemptCreationPending}}},
	}}}}
	const (
		held    = "has not started: the barriers in its Pods wait until role worker runs (1 of 2 Tasks)."
		without = "has no Pods yet: they are created when role worker has succeeded (0 of 2 Tasks)."
		behind  = "has no Pods yet: they are created when role report gets its own."
		older   = "starts after others, but the controller does not support startAfter: it is too old."
	)
	gates := &v1.RoleGates{Revision: "0_cm/1", Created: []string{"launcher"}}
	open := &v1.RoleGates{Revision: "0_cm/2", Created: []string{"launcher", "report"}, Open: []string{"launcher", "report"}}
	for _, test := range []struct {
		gates  *v1.RoleGates
		answer func(Facts) Answer
		want   string // empty: no such warning
	}{
		{gates, Framework, "Role launcher " + held},
		{gates, func(f Facts) Answer { return Role(f, "launcher") }, "It " + held},
		{gates, func(f Facts) Answer { return Role(f, "report") }, "It " + without},
		{gates, func(f Facts) Answer { return Task(f, "report", 0) }, "Role report " + without},
		{gates, func(f Facts) Answer { return Role(f, "mail") }, "It " + behind},
		{nil, func(f Facts) Answer { return Role(f, "launcher") }, "It " + older},
		{gates, func(f Facts) Answer { return Role(f, "worker") }, ""},
		{open, Framework, ""},
		{open, func(f Facts) Answer { return Role(f, "report") }, ""},
	} {
		f.Status.Gates = test.gates
		text := strings.Join(test.answer(Facts{Framework: f, Now: time.Now()}).Lines(), "\n")
		if test.want != "" && !strings.Contains(text, test.want) || test.want == "" && (strings.Contains(text, held) || strings.Contains(text, "has no Pods yet")) {
			t.Errorf("with gates %+v: got\n%s\nwant %q", test.gates, text, test.want)
		}
	}
}

// A role that starts after other Frameworks has no Pods until they have completed. The answer names only the ones still awaited.
func TestStartAfterFrameworks(t *testing.T) {
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Spec: v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{
		{Name: "worker", TaskNumber: 2, StartAfter: []v1.StartAfterSpec{
			{Framework: "data", When: v1.StartSucceeded}, {Framework: "old", When: v1.StartCompleted}, {Framework: "done", When: v1.StartSucceeded},
		}},
	}}, Status: &v1.FrameworkStatus{
		State: v1.AttemptPreparing, Gates: &v1.RoleGates{Revision: "0_cm/1"},
		StartedAfter: []v1.StartedAfterStatus{{Framework: "done", UID: "u", Outcome: v1.CompletionSucceeded}},
		AttemptStatus: v1.FrameworkAttemptStatus{TaskRoleStatuses: []v1.TaskRoleStatus{
			{Name: "worker", TaskStatuses: []v1.TaskStatus{{State: v1.AttemptCreationPending}, {Index: 1, State: v1.AttemptCreationPending}}},
		}},
	}}
	const want = "It has no Pods yet: they are created when Framework data has succeeded and Framework old has completed."
	if text := strings.Join(Role(Facts{Framework: f, Now: time.Now()}, "worker").Lines(), "\n"); !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant %q", text, want)
	}
}
