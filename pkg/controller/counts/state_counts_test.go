package counts

import (
	"fmt"
	"slices"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

func TestStatesAreAll(t *testing.T) {
	for _, table := range [][]lifecycle.Transition{lifecycle.FrameworkTable(), lifecycle.TaskTable()} {
		for _, row := range table {
			for _, s := range append(slices.Clone(row.From), row.To) {
				if s != "" && !slices.Contains(states[:], s) {
					t.Errorf("state %s of row %s is not counted", s, row.ID)
				}
			}
		}
	}
}

// begun returns the first output for a Framework with the given number of Tasks.
func begun(tasks int32) lifecycle.Output {
	spec := &v1.FrameworkSpec{ExecutionType: v1.ExecutionStart, TaskRoles: []v1.TaskRoleSpec{{Name: "w", TaskNumber: tasks}}}
	return lifecycle.Step(lifecycle.Input{Framework: lifecycle.Framework{Name: "a", UID: "a", Spec: spec}, Now: time.Unix(0, 0)})
}

func (n *StateCounts) nonZero() string {
	var found []string
	for _, s := range n.States() {
		if s.Frameworks != 0 || s.Tasks != 0 {
			found = append(found, fmt.Sprintf("%s %d %d", s.State, s.Frameworks, s.Tasks))
		}
	}
	for _, w := range n.Waiting() {
		if w.Frameworks != 0 {
			found = append(found, fmt.Sprintf("%s %d", w.Reason, w.Frameworks))
		}
	}
	return fmt.Sprint(found)
}

// A Framework is counted once, whatever it was counted as before.
func TestFrameworkIsCountedOnce(t *testing.T) {
	n := New([]reason.Waiting{"Quota", "Memory"})
	var f Counted
	ref := lifecycle.TaskRef{Role: "w", Index: 1}
	moved := begun(3)
	moved.Moves = []lifecycle.Move{{Task: &ref, From: v1.AttemptCreationPending, To: v1.AttemptRunning}}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { n.LeaveOut(&f, "Memory") }, "[AttemptCreationPending 1 0 Memory 1]"},
		{func() { n.Apply(&f, begun(3), "", true) }, "[AttemptCreationPending 1 3]"},
		{func() { n.Apply(&f, moved, "Quota", false) }, "[AttemptCreationPending 1 2 AttemptRunning 0 1 Quota 1]"},
		{func() { n.Apply(&f, begun(3), "Unheard", true) }, "[AttemptCreationPending 1 3 other 1]"},
		{func() { n.MarkInvalid(&f) }, "[AttemptCreationPending 0 3 Invalid 1 0]"},
		{func() { n.Apply(&f, begun(2), "", false) }, "[AttemptCreationPending 1 2]"},
		{func() { n.LeaveOut(&f, "Memory") }, "[AttemptCreationPending 1 2 Memory 1]"},
		{func() { n.Forget(&f) }, "[]"},
	} {
		if step.do(); n.nonZero() != step.want {
			t.Errorf("counted are %s, want %s", n.nonZero(), step.want)
		}
	}
}
