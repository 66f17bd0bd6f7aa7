package checker

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// counters holds P3, "accountable ≤ total; retries never exceed policy; total +1 per retry", and that no retry required by the policy is
// omitted. A status is written on the version that it was decided from, so the spec beside it is the one that it was decided by.
type counters struct{}

func (counters) see(t *replay, c change) {
	if c.framework == nil || c.framework.after == nil || c.framework.after.Status == nil {
		return
	}
	after := c.framework.after
	t.sane(c.subject(), after.Status.RetryPolicyStatus, after.attempt().ID)
	for p, task := range after.tasks {
		t.sane(c.task(p), task.RetryPolicyStatus, task.AttemptStatus.ID)
	}
	before := c.framework.before
	if before == nil || before.Status == nil {
		return
	}
	t.frameworkRetried(c.subject(), before, after)
	if before.attempt().ID != after.attempt().ID {
		return
	}
	for _, role := range after.attempt().TaskRoleStatuses {
		t.roleRetried(c.subject(), before, after, role.Name)
	}
	for p, task := range after.tasks {
		if old := before.tasks[p]; old != nil && old.InstanceUID == task.InstanceUID {
			t.taskRetried(c.task(p), p, before, after, old, task)
			s := endingOf(&task.AttemptStatus) // a Task that ends without one is for P4
			if !before.completing() && old.State != v1.Completed && task.State == v1.Completed && mayRetry(after, p) && s != nil {
				role := after.role(p.role)
				t.notRetried(c.task(p), role.Task.RetryPolicy, task.RetryPolicyStatus, *s)
				t.hold(Counters, c.task(p), !roleDecides(role, after.roleRetried(p.role), *s),
					"it is Completed with %d %s, though the policy of its role has a retry left", s.Code, s.Phrase)
			}
		}
	}
}

func (t *replay) sane(what subject, s v1.RetryPolicyStatus, attempt int32) {
	total, accountable := s.TotalRetriedCount, s.AccountableRetriedCount
	t.hold(Counters, what, 0 <= accountable && accountable <= total && total == attempt,
		"%d retries, %d of them accountable, in attempt %d", total, accountable, attempt)
}

// phase has the facts that decide about a retry: the policy, and the attempt before and after.
type phase struct {
	policy        v1.RetryPolicySpec
	before, after v1.RetryPolicyStatus
	outcome       *ending // of the previous attempt, or of this one if there was no retry
	byRole        bool    // the role restarts, at no cost to the Task
}

func (t *replay) frameworkRetried(what subject, before, after *framework) {
	p := phase{after.Spec.RetryPolicy, before.Status.RetryPolicyStatus, after.Status.RetryPolicyStatus, nil, false}
	if s := before.attempt().CompletionStatus; s != nil {
		p.outcome = &ending{s.CompletionStatus, nil, before.attempt().CompletionTime, false}
	}
	t.retried(what, p)
	if s := after.attempt().CompletionStatus; s != nil && after.Status.State == v1.Completed && before.Status.State != v1.Completed {
		t.notRetried(what, p.policy, p.after, ending{s.CompletionStatus, nil, after.attempt().CompletionTime, false})
	}
}

func (t *replay) taskRetried(what subject, at place, was, f *framework, before, after *v1.TaskStatus) {
	role := f.role(at.role)
	if role == nil {
		same := before.RetryPolicyStatus.TotalRetriedCount == after.RetryPolicyStatus.TotalRetriedCount
		t.hold(Counters, what, same, "retried after its role had gone")
		return
	}
	s := endingOf(&before.AttemptStatus)
	mark := before.AttemptStatus.Restart
	settled := mark != nil && because(mark, at) && mark.ByRole // decided when the Task failed
	byRole := s != nil && (settled || roleDecides(role, was.roleRetried(at.role), *s)) && f.roleRetried(at.role) == was.roleRetried(at.role)+1
	t.retried(what, phase{role.Task.RetryPolicy, before.RetryPolicyStatus, after.RetryPolicyStatus, s, byRole})
}

// roleRetried: a role restarts within its policy, or as decided when one of its Tasks failed. A role that was removed and added again
// starts from zero.
func (t *replay) roleRetried(what subject, before, after *framework, role string) {
	was, now := before.roleRetried(role), after.roleRetried(role)
	if now == was || now == 0 {
		return
	}
	spec := after.role(role)
	allowed := spec != nil && (settledByRole(before, role) || spec.RetryPolicy != nil && (spec.RetryPolicy.MaxRetryCount == -1 || now <= spec.RetryPolicy.MaxRetryCount))
	t.hold(Counters, what, now == was+1 && allowed,
		"role %s went from %d to %d retries", role, was, now)
}

// settledByRole reports whether a role restarts by its own policy because one of its Tasks has failed.
func settledByRole(f *framework, role string) bool {
	for p, task := range f.tasks {
		if mark := task.AttemptStatus.Restart; p.role == role && mark != nil && because(mark, p) && mark.ByRole {
			return true
		}
	}
	return false
}

// mayRetry reports whether only its policy can keep an ended Task from a retry: the spec asks for the Task, and its attempt continues, or
// is ended by this very Task.
func mayRetry(f *framework, at place) bool {
	if !f.counts(at) {
		return false
	}
	decision := f.attempt().CompletionStatus
	return decision == nil || decision.Trigger != nil && at == place{decision.Trigger.TaskRoleName, decision.Trigger.TaskIndex}
}

func (t *replay) notRetried(what subject, policy v1.RetryPolicySpec, count v1.RetryPolicyStatus, s ending) {
	retry, _ := retryTable(policy, count, s)
	t.hold(Counters, what, !retry, "it is Completed with %d %s, though its policy %+v asks for a retry", s.Code, s.Phrase, policy)
}

// retried: a retry that was scheduled is executed even if the policy has changed since.
func (t *replay) retried(what subject, p phase) {
	total := p.after.TotalRetriedCount - p.before.TotalRetriedCount
	accountable := p.after.AccountableRetriedCount - p.before.AccountableRetriedCount
	t.hold(Counters, what, total >= 0 && total <= 1 && accountable >= 0 && accountable <= total,
		"retries went from %+v to %+v", p.before, p.after)
	if total != 1 || p.outcome == nil {
		return
	}
	retry, counts := retryTable(p.policy, p.before, *p.outcome)
	retry = retry || p.byRole
	scheduled := p.before.RetryDelaySec != nil
	t.hold(Counters, what, retry || scheduled, "retried after %d %s with %+v, against its policy %+v",
		p.outcome.Code, p.outcome.Phrase, p.before, p.policy)
	counts = counts || !retry // nothing exempts a retry that the current policy does not ask for
	t.hold(Counters, what, counts == (accountable == 1), "the retry after %d %s was counted: %t",
		p.outcome.Code, p.outcome.Phrase, accountable == 1)
}
