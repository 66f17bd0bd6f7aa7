package lifecycle

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// The completion policy says when completed Tasks complete the attempt (contract 3.2). Only Tasks in Completed
// count, and Tasks that are being removed never do.

// reached reports whether a threshold is active and met.
func reached(count int, threshold int32) bool {
	return threshold >= 1 && count >= int(threshold)
}

// applyPolicyTo evaluates the policy for a Task that has just completed, which is the trigger if it decides. Its
// role is in the spec, otherwise it would be flagged and have no say.
func (r *round) applyPolicyTo(t task) {
	if r.in.Asking.Completion {
		return // askForDecision
	}
	policy, counts := t.role.spec.FrameworkAttemptCompletionPolicy, t.role.tally
	switch {
	case !succeeded(t.status()) && reached(counts.failed, policy.MinFailedTaskCount):
		r.completeAttempt(inherit(t, failedMessage(counts.failed, policy)))
	case succeeded(t.status()) && reached(counts.succeeded, policy.MinSucceededTaskCount):
		r.completeAttempt(inherit(t, succeededMessage(counts.succeeded, policy)))
	case r.allCompleted():
		r.completeAttempt(r.allCompletedOutcome(t))
	}
}

// applyCompletionPolicy evaluates the whole policy: a change of the spec may have met it without any Task
// having moved. Of several Tasks that meet it, the one that completed first is the trigger.
func (r *round) applyCompletionPolicy() {
	if first, found := r.firstTrigger(); found {
		r.completeAttempt(inherit(first.task, first.message))
		return
	}
	if r.allCompleted() {
		r.completeAttempt(r.allCompletedOutcome(r.lastCompleted()))
	}
}

// trigger is a Task that meets a threshold, and how.
type trigger struct {
	task    task
	message string
}

func (r *round) firstTrigger() (first trigger, found bool) {
	for _, role := range r.specRoles() {
		for _, candidate := range r.triggers(role) {
			if !found || completedBefore(candidate.task, first.task) {
				first, found = candidate, true
			}
		}
	}
	return first, found
}

// triggers returns the Task that met the role's failed threshold, and the one that met its succeeded one.
// The counts say whether there is one, so the Tasks are looked at only if there is.
func (r *round) triggers(role *roleDraft) []trigger {
	var out []trigger
	policy, counts := role.spec.FrameworkAttemptCompletionPolicy, role.tally
	if reached(counts.failed, policy.MinFailedTaskCount) {
		failed := r.completedTasks(role, func(t *v1.TaskStatus) bool { return !succeeded(t) })
		out = append(out, trigger{failed[policy.MinFailedTaskCount-1], failedMessage(counts.failed, policy)})
	}
	if reached(counts.succeeded, policy.MinSucceededTaskCount) {
		done := r.completedTasks(role, succeeded)
		out = append(out, trigger{done[policy.MinSucceededTaskCount-1], succeededMessage(counts.succeeded, policy)})
	}
	return out
}

// completedTasks returns the role's Tasks that count, by completion time, then by index.
func (r *round) completedTasks(role *roleDraft, wanted func(*v1.TaskStatus) bool) []task {
	var out []task
	for i, t := range role.tasks {
		if t.State == v1.Completed && !t.DeletionPending && wanted(t) {
			out = append(out, task{r, role, int32(i)})
		}
	}
	slices.SortStableFunc(out, func(a, b task) int {
		return a.status().CompletionTime.Compare(b.status().CompletionTime.Time)
	})
	return out
}

func completedBefore(a, b task) bool {
	return a.status().CompletionTime.Time.Before(b.status().CompletionTime.Time)
}

// allCompleted reports whether every Task that the spec asks for has completed. Without any Task, an attempt
// idles.
func (r *round) allCompleted() bool {
	wanted, completed := r.wantedTasks(), r.completedCount()
	return wanted >= 1 && completed >= wanted
}

func (r *round) wantedTasks() int {
	sum := 0
	for _, role := range r.roles {
		sum += role.wanted()
	}
	return sum
}

func (r *round) completedCount() int {
	sum := 0
	for _, role := range r.specRoles() {
		sum += role.tally.completed()
	}
	return sum
}

// lastCompleted returns the Task that completed last; the first one in the order of the spec if there are
// several. There must be one.
func (r *round) lastCompleted() task {
	var last task
	for _, role := range r.specRoles() {
		for _, t := range r.completedTasks(role, func(*v1.TaskStatus) bool { return true }) {
			if last.role == nil || completedBefore(last, t) {
				last = t
			}
		}
	}
	return last
}

// specRoles returns the roles that the spec has, in its order.
func (r *round) specRoles() []*roleDraft {
	byName := make(map[string]*roleDraft, len(r.roles))
	for _, role := range r.roles {
		byName[role.name] = role
	}
	out := make([]*roleDraft, 0, len(r.roles))
	for i := range r.in.Framework.Spec.TaskRoles {
		spec := &r.in.Framework.Spec.TaskRoles[i]
		if role := byName[spec.Name]; role != nil && role.spec == spec {
			out = append(out, role)
		}
	}
	return out
}

// inherit completes the attempt as its trigger did.
func inherit(t task, message string) v1.FrameworkAttemptCompletionStatus {
	return v1.FrameworkAttemptCompletionStatus{
		CompletionStatus: t.status().AttemptStatus.CompletionStatus.CompletionStatus,
		Trigger:          &v1.CompletionTrigger{Message: message, TaskRoleName: t.role.name, TaskIndex: t.index},
	}
}

// allCompletedOutcome is success, even if Tasks failed: no threshold says that this is a failure.
func (r *round) allCompletedOutcome(last task) v1.FrameworkAttemptCompletionStatus {
	message := fmt.Sprintf("CompletedTaskCount %d has reached TotalTaskCount %d, and no completion policy was triggered",
		r.completedCount(), r.wantedTasks())
	out := predefined(completion.CodeSucceeded, message)
	out.Trigger = &v1.CompletionTrigger{Message: message, TaskRoleName: last.role.name, TaskIndex: last.index}
	return out
}

func failedMessage(count int, policy v1.CompletionPolicySpec) string {
	return fmt.Sprintf("FailedTaskCount %d has reached MinFailedTaskCount %d in the TaskRole", count, policy.MinFailedTaskCount)
}

func succeededMessage(count int, policy v1.CompletionPolicySpec) string {
	return fmt.Sprintf("SucceededTaskCount %d has reached MinSucceededTaskCount %d in the TaskRole", count, policy.MinSucceededTaskCount)
}
