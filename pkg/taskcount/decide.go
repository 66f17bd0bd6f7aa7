package taskcount

import "slices"

// DecideOn evaluates the policy for a Task of the role that has just completed; if it decides, that Task is the
// trigger. The role's counts must include it.
func DecideOn(a Attempt, role int, t Task) (Outcome, bool) {
	r := a.Role(role)
	switch {
	case !t.Succeeded && r.failedReached():
		return failedOutcome(role, r, t), true
	case t.Succeeded && r.succeededReached():
		return succeededOutcome(role, r, t), true
	}
	if sum := totalOf(a); sum.allCompleted() {
		return allCompletedOutcome(role, t, sum), true
	}
	return Outcome{}, false
}

// Decide evaluates the whole policy: a change of the spec may have met it without a change of any Task. If several
// Tasks meet a threshold, the one that completed first is the trigger; at the same time, the first in the order of the
// roles, failures before successes.
func Decide(a Attempt) (Outcome, bool) {
	if first, found := firstTrigger(a); found {
		return first.outcome, true
	}
	if sum := totalOf(a); sum.allCompleted() {
		return lastCompleted(a, sum)
	}
	return Outcome{}, false
}

// candidate is an outcome and the Task that would be its trigger.
type candidate struct {
	task    Task
	outcome Outcome
}

func firstTrigger(a Attempt) (first candidate, found bool) {
	consider := func(c candidate, ok bool) {
		if ok && (!found || c.task.CompletionTime.Before(first.task.CompletionTime)) {
			first, found = c, true
		}
	}
	for role := range a.RoleNumber() {
		r := a.Role(role)
		if r.failedReached() {
			t, ok := nth(a, role, false, int(r.MinFailed))
			consider(candidate{t, failedOutcome(role, r, t)}, ok)
		}
		if r.succeededReached() {
			t, ok := nth(a, role, true, int(r.MinSucceeded))
			consider(candidate{t, succeededOutcome(role, r, t)}, ok)
		}
	}
	return first, found
}

// nth returns the Task that, as the nth one, met a threshold of its role: by completion time, then by index. ok is
// false if the attempt yields fewer Tasks than it counts.
func nth(a Attempt, role int, succeeded bool, n int) (Task, bool) {
	var tasks []Task
	for t := range a.Completed(role) {
		if t.Succeeded == succeeded {
			tasks = append(tasks, t)
		}
	}
	if n > len(tasks) {
		return Task{}, false
	}
	slices.SortStableFunc(tasks, func(x, y Task) int { return x.CompletionTime.Compare(y.CompletionTime) })
	return tasks[n-1], true
}

// lastCompleted returns the outcome triggered by the Task that completed last; at the same time, the first in the order
// of the roles.
func lastCompleted(a Attempt, sum total) (Outcome, bool) {
	var last Task
	lastRole, found := 0, false
	for role := range a.RoleNumber() {
		for t := range a.Completed(role) {
			if !found || last.CompletionTime.Before(t.CompletionTime) {
				last, lastRole, found = t, role, true
			}
		}
	}
	return allCompletedOutcome(lastRole, last, sum), found
}

// total is the sum over the roles.
type total struct {
	wanted, completed int
}

func totalOf(a Attempt) total {
	var sum total
	for role := range a.RoleNumber() {
		r := a.Role(role)
		sum.wanted += max(r.Wanted, 0)
		sum.completed += r.Failed + r.Succeeded
	}
	return sum
}

// allCompleted reports whether every Task that the spec asks for has completed. Without any Task, an attempt idles.
func (t total) allCompleted() bool { return t.wanted >= 1 && t.completed >= t.wanted }
