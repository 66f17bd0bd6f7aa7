package explain

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Framework says what a Framework is doing as a whole.
func Framework(f Facts) Answer {
	k := know(f)
	if alone := leftAlone(k); alone != nil {
		return compose(k, k.framework(), alone)
	}
	return compose(k, k.framework(), slices.Concat(
		headline(k),
		suspension(k),
		activeDeadline(k),
		tasksOf(k),
		startOrders(k),
		schedulingChange(k),
		deletion(k),
		waiting(k),
		attemptEnded(k),
		troubledTasks(k),
		retriedTasks(k),
		deletedPods(k),
		avoidedNodes(k, ""),
		earlierAttempts(k),
		warnings(k),
		linked(k),
	), seeTasks)
}

// Role says what the Tasks of one role are doing, which the status or the spec has to have.
func Role(f Facts, role string) Answer {
	k, about := know(f), roleSubject(role)
	if alone := leftAlone(k); alone != nil {
		return compose(k, about, alone)
	}
	if k.roleStatus(role) == nil {
		return compose(k, about, slices.Concat([]Statement{{Topic: RoleWithoutTasks, Subject: about}}, roleWaits(k, role)))
	}
	return compose(k, about, slices.Concat(
		roleTasks(k, role),
		rolePolicy(k, role),
		startOrder(k, k.roleSpec(role)),
		roleWaits(k, role),
		firstTroubled(k, role),
		avoidedNodes(k, role),
	), Step{Command: "kubectl framework tasks {framework} " + role + " -n {namespace}", Why: "shows each Task and its code"})
}

// Task says what one Task is doing, or that the status has no such Task.
func Task(f Facts, role string, index int32) Answer {
	k, about := know(f), taskSubject(role, index)
	if alone := leftAlone(k); alone != nil {
		return compose(k, about, alone)
	}
	task := k.taskStatus(role, index)
	if task == nil {
		return compose(k, about, []Statement{{Topic: NoSuchTask, Subject: about}})
	}
	return compose(k, about, slices.Concat(
		taskHeadline(k, role, task),
		taskItem(k, role, index),
		taskRetries(role, task),
		taskMemory(role, task),
		taskWaits(k, role, task),
		whileStarting(task, startOrder(k, k.roleSpec(role))),
		podWaits(k, role, task),
		startDeadline(k, role, task),
		taskDeadline(k, role, task),
		whileStarting(task, avoidedNodes(k, role)),
		taskEnded(k, role, task),
		earlierDeletions(k, role, task),
		earlierTaskAttempts(k, role, task),
	), Step{Command: "kubectl framework explain {framework} -n {namespace}", Why: "says more about the whole Framework"})
}

// whileStarting returns statements that only matter while the Pod of a Task does not run yet.
func whileStarting(task *v1.TaskStatus, all []Statement) []Statement {
	if StandingOf(task) == Starting {
		return all
	}
	return nil
}
