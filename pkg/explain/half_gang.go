package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// sayHalfGang says what to set if a gang that has lost a part of its nodes keeps the rest without end: timeoutSec counts only until
// the gang was placed.
func (t *telling) sayHalfGang() {
	role := t.endlessWait()
	if role == "" || !t.holdsHalf() {
		return
	}
	t.say("The other Tasks of the gang keep their nodes meanwhile, as spec.scheduling.timeoutSec counts only until the gang is placed. To have the attempt end "+
		"instead: for role %s, set task.startDeadline.unscheduledSec, put {code: -130, maxRetryCount: 0} first in task.retryPolicy.budgets, and set minFailedTaskCount.", role)
}

// endlessWait returns a role of which a Task that is retried has no node, and may be without one for ever; empty if there is none.
func (t *telling) endlessWait() string {
	for i := range t.status.AttemptStatus.TaskRoleStatuses {
		role := &t.status.AttemptStatus.TaskRoleStatuses[i]
		spec := t.roleSpec(role.Name)
		if spec == nil || spec.Task.StartDeadline != nil && spec.Task.StartDeadline.UnscheduledSec > 0 {
			continue
		}
		for k := range role.TaskStatuses {
			if task := &role.TaskStatuses[k]; task.AttemptStatus.ID > 0 && !task.DeletionPending && task.State == v1.AttemptPreparing && !hasNode(task) {
				return role.Name
			}
		}
	}
	return ""
}

// holdsHalf reports whether Tasks hold nodes, and fewer than the gang needs, which was placed. One that does without a time-out
// was placed as far as is known.
func (t *telling) holdsHalf() bool {
	s, placement := t.Framework.Spec.Scheduling, t.status.AttemptStatus.Placement
	if s == nil || s.Gang == nil && s.TimeoutSec == nil || placement != nil && placement.PlacedTime == nil {
		return false
	}
	hold := 0
	for i := range t.status.AttemptStatus.TaskRoleStatuses {
		if role := &t.status.AttemptStatus.TaskRoleStatuses[i]; !t.heldBack(role) {
			hold += placedOf(role).hold
		}
	}
	return hold > 0 && !lifecycle.GangPlaced(s.Gang, t.gangRoles)
}

// gangRoles yields the roles that are part of the gang.
func (t *telling) gangRoles(yield func(lifecycle.GangRole) bool) {
	for i := range t.status.AttemptStatus.TaskRoleStatuses {
		role := &t.status.AttemptStatus.TaskRoleStatuses[i]
		if of := placedOf(role); !t.heldBack(role) && !yield(lifecycle.GangRole{Name: role.Name, Total: of.total, Placed: of.placed}) {
			return
		}
	}
}

func (t *telling) heldBack(role *v1.TaskRoleStatus) bool {
	spec := t.roleSpec(role.Name)
	return spec != nil && t.status.Gates.HeldBack(spec)
}

// placedTasks counts Tasks, without those that are removed: those that a gang need not wait for now, and those that hold a node.
type placedTasks struct{ total, placed, hold int }

func placedOf(role *v1.TaskRoleStatus) (c placedTasks) {
	for i := range role.TaskStatuses {
		task := &role.TaskStatuses[i]
		if task.DeletionPending {
			continue
		}
		c.total++
		switch {
		case task.State == v1.Completed:
			c.placed++
		case hasNode(task) && task.State != v1.AttemptCompleted:
			c.placed++
			c.hold++
		}
	}
	return c
}

func hasNode(task *v1.TaskStatus) bool {
	node := task.AttemptStatus.PodNodeName
	return node != nil && *node != ""
}

// waitsForNode reports whether a reason of the condition Waiting is that a Pod has no node.
func waitsForNode(why string) bool {
	return why == string(reason.Unschedulable) || why == string(reason.PodNotScheduled)
}
