package explain

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// startOrders says what the roles start after that have Pods and may not start yet. The condition Waiting is about those without
// Pods.
func startOrders(k *known) (all []Statement) {
	for i := range k.Framework.Spec.TaskRoles {
		if role := &k.Framework.Spec.TaskRoles[i]; k.status.Gates != nil && !k.status.Gates.HeldBack(role) {
			all = append(all, startOrder(k, role)...)
		}
	}
	return all
}

// startOrder says why a role may not start yet.
func startOrder(k *known, role *v1.TaskRoleSpec) []Statement {
	gates := k.status.Gates
	live := k.status.State == v1.AttemptPreparing || k.status.State == v1.AttemptRunning
	switch {
	case role == nil || !live || !gates.Closed(role):
		return nil
	case gates == nil:
		return []Statement{{Topic: StartOrderUnknown, Subject: roleSubject(role.Name), next: k.steps(names{}, controllerIs)}}
	case gates.HeldBack(role):
		return []Statement{{Topic: RoleHasNoPods, Subject: roleSubject(role.Name), Args: Args{Awaits: awaitedForPods(k, role)}}}
	}
	var awaits []Await
	for _, s := range role.StartAfter {
		awaits = append(awaits, howFar(k, s))
	}
	return []Statement{{Topic: RoleHasNotStarted, Subject: roleSubject(role.Name), Args: Args{Awaits: awaits}}}
}

// created is said where a role only needs its Pods.
const created = "Created"

// awaitedForPods is what the Pods of a role come after: the success of others, or their Pods.
func awaitedForPods(k *known, role *v1.TaskRoleSpec) (awaits []Await) {
	for _, s := range role.StartAfter {
		other := k.roleSpec(s.Role)
		switch {
		case s.Needs() == v1.StartSucceeded:
			awaits = append(awaits, howFar(k, s))
		case other != nil && k.status.Gates.HeldBack(other):
			awaits = append(awaits, Await{Role: s.Role, When: created, Tasks: int(other.TaskNumber)})
		}
	}
	return awaits
}

// howFar has how many Tasks of the other role have come as far as it takes.
func howFar(k *known, s v1.StartAfterSpec) Await {
	a := Await{Role: s.Role, When: string(s.Needs())}
	if other, status := k.roleSpec(s.Role), k.roleStatus(s.Role); other != nil && status != nil {
		a.Tasks = int(other.TaskNumber)
		a.Reached = min(lifecycle.Reached(status, s.Needs()), a.Tasks)
	}
	return a
}

// halfGang says what to set if a gang that has lost a part of its nodes keeps the rest without end.
func halfGang(k *known) []Statement {
	role := endlessWait(k)
	if role == "" || !holdsHalf(k) {
		return nil
	}
	return []Statement{{Topic: HalfGang, Subject: roleSubject(role)}}
}

// endlessWait returns a role of which a Task that is retried has no node, and may be without one for ever; empty if there is none.
func endlessWait(k *known) string {
	for role, task := range k.tasks {
		spec := k.roleSpec(role)
		if spec == nil || spec.Task.StartDeadline != nil && spec.Task.StartDeadline.UnscheduledSec > 0 {
			continue
		}
		if task.AttemptStatus.ID > 0 && !task.DeletionPending && task.State == v1.AttemptPreparing && !hasNode(task) {
			return role
		}
	}
	return ""
}

// holdsHalf reports whether Tasks hold nodes, and fewer than the gang needs, which was placed. One that does without a time-out
// was placed as far as is known.
func holdsHalf(k *known) bool {
	s, placement := k.Framework.Spec.Scheduling, k.status.AttemptStatus.Placement
	if s == nil || s.Gang == nil && s.TimeoutSec == nil || placement != nil && placement.PlacedTime == nil {
		return false
	}
	hold := 0
	var gang []lifecycle.GangRole
	for i := range k.status.AttemptStatus.TaskRoleStatuses {
		role := &k.status.AttemptStatus.TaskRoleStatuses[i]
		if spec := k.roleSpec(role.Name); spec != nil && k.status.Gates.HeldBack(spec) {
			continue
		}
		of := placedOf(role)
		hold += of.hold
		gang = append(gang, lifecycle.GangRole{Name: role.Name, Total: of.total, Placed: of.placed})
	}
	return hold > 0 && !lifecycle.GangPlaced(s.Gang, slices.Values(gang))
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
