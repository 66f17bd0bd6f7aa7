package retry

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// restart is the scope of the plugin that has judged the failure, or of the policy; the Task alone if there is no retry, or
// if the attempt did not end by a failure of its own.
func (c Case) restart(row *Row) v1.RestartScope {
	if !c.failed() || !row.Retry || row.AtOnce {
		return v1.RestartTask
	}
	scope := c.Policy.Restart
	if advice := c.Ended.Advice; advice != nil && advice.Restart != "" {
		scope = advice.Restart
	}
	if row.Role && scope != v1.RestartFramework {
		return v1.RestartRole
	}
	return scope
}

// Restarting reports whether the Task is one of several that restart together.
func Restarting(t *v1.TaskStatus) bool {
	return RestartOf(t) != nil && !t.DeletionPending && t.State != v1.Completed
}

// RestartOf returns the restart in which the Task takes part, or for which it waits; nil if there is none.
func RestartOf(t *v1.TaskStatus) *v1.TaskRestart {
	if awaited := t.AttemptStatus.AwaitedRestart; awaited != nil {
		return &awaited.TaskRestart
	}
	return t.AttemptStatus.Restart
}

// OwnRestart returns the restart begun by the failure of this very Task; nil if there is none. The others end because of it, so
// it is settled that the Task is retried, and whether the Task or its role pays.
func OwnRestart(role string, t *v1.TaskStatus) *v1.TaskRestart {
	r := t.AttemptStatus.Restart
	if r == nil || !Restarting(t) || r.TaskRoleName != role || r.TaskIndex != t.Index {
		return nil
	}
	return r
}
