package explain

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Tasks that wait for their turn are counted separately, and each answer about one gives the reason.
func TestTurns(t *testing.T) {
	waits := v1.TaskAttemptStatus{AwaitsTurn: true}
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "array", Namespace: "default"},
		Spec: v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{
			{Name: "worker", TaskNumber: 4, Parallelism: new(int32(1))},
			{Name: "after", TaskNumber: 1, StartAfter: []v1.StartAfterSpec{{Role: "worker"}}},
		}},
		Status: &v1.FrameworkStatus{State: v1.AttemptPreparing, Gates: &v1.RoleGates{Created: []string{"after"}},
			AttemptStatus: v1.FrameworkAttemptStatus{TaskRoleStatuses: []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{
				{State: v1.AttemptPreparing},
				{Index: 1, State: v1.AttemptCreationPending, AttemptStatus: waits},
				{Index: 2, State: v1.AttemptCreationPending, AttemptStatus: waits},
				{Index: 3, State: v1.AttemptCreationPending, AttemptStatus: waits, DeletionPending: true},
			}}, {Name: "after", TaskStatuses: []v1.TaskStatus{{State: v1.AttemptPreparing}}}}}}}
	facts := Facts{Framework: f, Now: time.Now()}
	for _, test := range []struct {
		answer Answer
		want   string
	}{
		{Framework(facts), "2 wait for their turn and 1 is being removed.\nAt most 1 Task of role worker may have a Pod at a time (parallelism)."},
		{Framework(facts), "until role worker runs (0 of 1 Task)."},
		{Role(facts, "worker"), "At most 1 Task of role worker may have a Pod at a time (parallelism)."},
		{Task(facts, "worker", 1), "Task worker-1 of Framework array waits for its turn in attempt 0: at most 1 Task of role worker may have a Pod at a time (parallelism)."},
		{Task(facts, "worker", 3), "is being removed"},
	} {
		if text := strings.Join(test.answer.Lines(), "\n"); !strings.Contains(text, test.want) {
			t.Errorf("got\n%s\nwant %q", text, test.want)
		}
	}

	f.Spec.TaskRoles[0].Parallelism = new(int32(4)) // all may run, which the controller has yet to see
	if text := strings.Join(Role(facts, "worker").Lines(), "\n"); strings.Contains(text, "parallelism") {
		t.Errorf("got\n%s", text)
	}
	f.Spec.TaskRoles[0].Parallelism = nil
	if text := strings.Join(Framework(facts).Lines(), "\n"); strings.Contains(text, "parallelism") {
		t.Errorf("got\n%s", text)
	}
	if text := strings.Join(Task(facts, "worker", 1).Lines(), "\n"); !strings.Contains(text, "its Pod has not been created yet") {
		t.Errorf("got\n%s", text)
	}
}

// While a Framework is held or suspended, that is why its Tasks have no Pods, and not their turn.
func TestNoTurnBeforeAttempt(t *testing.T) {
	for _, test := range []struct {
		spec v1.FrameworkSpec
		want string
	}{
		{v1.FrameworkSpec{ExecutionType: v1.ExecutionCreate}, "Framework array is held: it begins when spec.executionType becomes Start."},
		{v1.FrameworkSpec{Suspend: new(true)}, "Framework array is suspended, and nothing of it runs: attempt 0 begins when spec.suspend is false."},
	} {
		test.spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 2, Parallelism: new(int32(1))}, {Name: "ps", TaskNumber: 1}}
		f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "array", Namespace: "default"}, Spec: test.spec,
			Status: &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: v1.FrameworkAttemptStatus{TaskRoleStatuses: []v1.TaskRoleStatus{
				{Name: "worker", TaskStatuses: []v1.TaskStatus{
					{State: v1.AttemptCreationPending, AttemptStatus: v1.TaskAttemptStatus{AwaitsTurn: true}},
					{Index: 1, State: v1.AttemptCreationPending, AttemptStatus: v1.TaskAttemptStatus{AwaitsTurn: true}}}},
				{Name: "ps", TaskStatuses: []v1.TaskStatus{{State: v1.AttemptCreationPending}}},
			}}}}
		facts := Facts{Framework: f, Now: time.Now()}
		for _, answer := range []Answer{Role(facts, "worker"), Task(facts, "worker", 1), Role(facts, "ps"), Task(facts, "ps", 0)} {
			text := strings.Join(answer.Lines(), "\n")
			if !strings.Contains(text, test.want) || strings.Contains(text, "turn") || strings.Contains(text, "starting") {
				t.Errorf("got\n%s\nwant %q", text, test.want)
			}
		}
	}
}
