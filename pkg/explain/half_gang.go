package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
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
	var all placedTasks
	short := false
	for i := range t.status.AttemptStatus.TaskRoleStatuses {
		role := &t.status.AttemptStatus.TaskRoleStatuses[i]
		if spec := t.roleSpec(role.Name); spec != nil && t.status.Gates.HeldBack(spec) {
			continue
		}
		of := placedOf(role)
		all.total, all.placed, all.hold = all.total+of.total, all.placed+of.placed, all.hold+of.hold
		short = short || of.placed < min(minOfRole(s.Gang, role.Name), of.total)
	}
	least := all.total
	if s.Gang != nil && s.Gang.MinTasks != nil {
		least = min(int(*s.Gang.MinTasks), all.total)
	}
	return all.hold > 0 && (short || all.placed < least)
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

func minOfRole(gang *v1.GangSpec, role string) int {
	if gang == nil {
		return 0
	}
	for _, least := range gang.PerRole {
		if least.Role == role {
			return int(least.MinTasks)
		}
	}
	return 0
}

// waitsForNode reports whether a reason of the condition Waiting is that a Pod has no node.
func waitsForNode(reason string) bool {
	return reason == lifecycle.ReasonUnschedulable || reason == lifecycle.ReasonPodNotScheduled
}
