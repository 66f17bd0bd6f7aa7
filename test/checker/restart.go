package checker

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// restart holds the promises about Tasks that restart together (contract 3.1): a role restarts its own Tasks only; Tasks restarted along
// with a failed one have no failure of their own, and use up no retry; none begins before all have ended; and a Task that has begun a
// restart by its own failure keeps that mark, even if a wider restart includes it.
type restart struct{}

func (restart) see(t *replay, c change) {
	if c.framework == nil || c.framework.before == nil || c.framework.after == nil || c.framework.before.Status == nil || c.framework.after.Status == nil {
		return
	}
	before, after := c.framework.before, c.framework.after
	if before.attempt().ID != after.attempt().ID {
		return
	}
	for p, task := range after.tasks {
		old := before.tasks[p]
		if old == nil || old.InstanceUID != task.InstanceUID {
			continue
		}
		if mark := task.AttemptStatus.Restart; mark != nil && old.AttemptStatus.Restart == nil {
			t.hold(Together, c.task(p), mark.Scope == v1.RestartFramework || mark.TaskRoleName == p.role, "it starts again because of a Task of role %s", mark.TaskRoleName)
		}
		if begun := old.AttemptStatus.Restart; begun != nil && because(begun, p) && old.AttemptStatus.ID == task.AttemptStatus.ID {
			mark := task.AttemptStatus.Restart
			t.hold(Together, c.task(p), mark != nil && because(mark, p) && mark.ByRole == begun.ByRole, "it has begun %+v, and now has %+v", begun, mark)
		}
		if old.AttemptStatus.ID != task.AttemptStatus.ID && startsAgain(old) && !task.DeletionPending {
			t.beginsTogether(c, before, after, p, old)
		}
	}
}

// because reports whether a restart was begun by that Task.
func because(r *v1.TaskRestart, p place) bool {
	return r.TaskRoleName == p.role && r.TaskIndex == p.index
}

func startsAgain(t *v1.TaskStatus) bool {
	return t.AttemptStatus.Restart != nil && !t.DeletionPending && t.State != v1.Completed
}

func (t *replay) beginsTogether(c change, before, after *framework, p place, old *v1.TaskStatus) {
	scope := old.AttemptStatus.Restart.Scope
	for q, other := range before.tasks {
		if now := after.tasks[q]; now == nil || now.DeletionPending || now.State == v1.Completed {
			continue
		}
		if startsAgain(other) && other.AttemptStatus.Restart.Scope == scope && (scope == v1.RestartFramework || q.role == p.role) {
			t.hold(Together, c.task(p), other.State == v1.AttemptCompleted, "it begins, and %v is in %s", q, other.State)
		}
	}
}
