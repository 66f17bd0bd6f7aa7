package checker

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// dropped holds, of P1: before an attempt is dropped, it is stored in AttemptCompleted; before a Task is removed or
// replaced, it is stored flagged and Completed. So everything that happened can be read to its end.
type dropped struct{}

func (dropped) see(t *replay, c change) {
	if c.framework == nil || c.framework.before == nil || c.framework.after == nil ||
		c.framework.before.Status == nil || c.framework.after.Status == nil {
		return
	}
	before, after := c.framework.before, c.framework.after
	if before.attempt().ID != after.attempt().ID {
		t.hold(StoredFirst, c.subject(), before.Status.State == v1.AttemptCompleted, "attempt %d was dropped when it was stored as %s",
			before.attempt().ID, before.Status.State)
		return
	}
	for p, old := range before.tasks {
		what := c.task(p)
		task := after.tasks[p]
		switch {
		case task != nil && old.InstanceUID == "" && old.AttemptStatus.AwaitsTurn: // its UID comes with its first turn
		case task == nil || task.InstanceUID != old.InstanceUID:
			t.hold(StoredFirst, what, old.DeletionPending && old.State == v1.Completed, "removed when it was stored as %s, flagged: %t",
				old.State, old.DeletionPending)
		case task.AttemptStatus.ID != old.AttemptStatus.ID:
			t.hold(StoredFirst, what, old.State == v1.AttemptCompleted, "attempt %d was dropped when it was stored as %s",
				old.AttemptStatus.ID, old.State)
		}
	}
}
