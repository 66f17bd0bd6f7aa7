package explain

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// sayRestart says with which others a Task starts again.
func (t *telling) sayRestart(task *v1.TaskStatus) {
	if !restarts(task) || t.status.AttemptStatus.CompletionStatus != nil {
		return
	}
	r := task.AttemptStatus.Restart
	all := "the Framework"
	if r.Scope == v1.RestartRole {
		all = "role " + r.TaskRoleName
	}
	t.say("All Tasks of %s that have not completed start again together, as Task %s has failed: none begins before all have ended.",
		all, TaskName(r.TaskRoleName, r.TaskIndex))
}

// restarts reports whether a Task starts again together with others.
func restarts(task *v1.TaskStatus) bool {
	return task.AttemptStatus.Restart != nil && !task.DeletionPending && task.State != v1.Completed
}

// dueTogether is when the Tasks of a role begin that start again together, and those of other roles with them: when the last of
// them may; zero if they do not wait. It is not known before all have ended.
func (t *telling) dueTogether(name string) (at time.Time, known bool) {
	for i := range t.status.AttemptStatus.TaskRoleStatuses {
		role := &t.status.AttemptStatus.TaskRoleStatuses[i]
		if role.Name != name && !(startsAsPart(t.roleStatus(name)) && startsAsPart(role)) {
			continue
		}
		for j := range role.TaskStatuses {
			task := &role.TaskStatuses[j]
			if !restarts(task) {
				continue
			}
			if task.State != v1.AttemptCompleted {
				return time.Time{}, false
			}
			if due := retryTime(task.TransitionTime.Time, task.RetryPolicyStatus); due.After(at) {
				at = due
			}
		}
	}
	return at, true
}

// startsAsPart reports whether a role starts again as a part of its Framework.
func startsAsPart(role *v1.TaskRoleStatus) bool {
	for i := range role.TaskStatuses {
		if task := &role.TaskStatuses[i]; restarts(task) && task.AttemptStatus.Restart.Scope == v1.RestartFramework {
			return true
		}
	}
	return false
}
