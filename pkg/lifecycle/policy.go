package lifecycle

import (
	"iter"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/taskcount"
)

// The completion policy says when completed Tasks complete the attempt (contract 3.2); package taskcount has it.

// applyPolicyTo evaluates the policy for a Task that has just completed, which is the trigger if it decides. Its
// role is in the spec, otherwise it would be flagged and have no say.
func (r *round) applyPolicyTo(t task) {
	if r.in.Asking.Completion {
		return // askForDecision
	}
	counted := r.counted(r.completedCounts())
	if outcome, decided := taskcount.DecideOn(counted, counted.indexOf(t.role), counted.completedTask(t)); decided {
		r.completeAttempt(counted.completion(outcome))
	}
}

// applyCompletionPolicy evaluates the whole policy for the given numbers of completed Tasks: an edit of the spec may have met it
// without a change of any Task.
func (r *round) applyCompletionPolicy(completed []completedCount) {
	counted := r.counted(completed)
	if outcome, decided := taskcount.Decide(counted); decided {
		r.completeAttempt(counted.completion(outcome))
	}
}

// countedAttempt is a round's attempt as seen by package taskcount: with the maintained counts, or the counts of an earlier time.
// It uses the Tasks that completed first, which are the same.
type countedAttempt struct {
	r         *round
	roles     []*roleDraft
	completed []completedCount
}

func (r *round) counted(completed []completedCount) countedAttempt {
	return countedAttempt{r, r.specRoles(), completed}
}

func (c countedAttempt) RoleNumber() int { return len(c.roles) }

func (c countedAttempt) Role(i int) taskcount.Role {
	role := c.roles[i]
	policy := role.spec.FrameworkAttemptCompletionPolicy
	return taskcount.Role{
		Wanted: role.wanted(), Failed: c.completed[i].failed, Succeeded: c.completed[i].succeeded,
		MinFailed: policy.MinFailedTaskCount, MinSucceeded: policy.MinSucceededTaskCount,
	}
}

func (c countedAttempt) Completed(i int) iter.Seq[taskcount.Task] {
	return func(yield func(taskcount.Task) bool) {
		role := c.roles[i]
		for index, t := range role.tasks {
			if t.State == v1.Completed && !t.DeletionPending && !yield(c.completedTask(task{c.r, role, int32(index)})) {
				return
			}
		}
	}
}

func (c countedAttempt) completedTask(t task) taskcount.Task {
	s := t.status()
	return taskcount.Task{Index: t.index, Succeeded: succeeded(s), CompletionTime: s.CompletionTime.Time}
}

func (c countedAttempt) indexOf(role *roleDraft) int {
	for i := range c.roles {
		if c.roles[i] == role {
			return i
		}
	}
	return -1
}

func (c countedAttempt) completion(o taskcount.Outcome) v1.FrameworkAttemptCompletionStatus {
	t := task{c.r, c.roles[o.Role], o.Index}
	out := inherit(t, o.Message)
	out.Trigger.Rule = string(o.Rule)
	if !o.Inherits() { // success, even if Tasks failed: no threshold makes this a failure
		out.CompletionStatus = completion.Predefined(completion.CodeSucceeded, o.Message)
		out.Retries = nil
	}
	return out
}

// inherit completes the attempt as its trigger did.
func inherit(t task, message string) v1.FrameworkAttemptCompletionStatus {
	return v1.FrameworkAttemptCompletionStatus{
		CompletionStatus: t.status().AttemptStatus.CompletionStatus.CompletionStatus,
		Trigger:          &v1.CompletionTrigger{Message: message, TaskRoleName: t.role.name, TaskIndex: t.index},
		Retries:          t.retriesLeft(),
	}
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
