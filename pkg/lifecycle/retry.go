package lifecycle

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// stepAttemptCompleted decides on, waits for, or executes a retry of the Framework.
func (r *round) stepAttemptCompleted() (again bool) {
	counters := &r.status.RetryPolicyStatus
	row := r.retryCase().decide()
	scheduled := counters.RetryDelaySec != nil
	if !row.Retry && !scheduled {
		r.move(&f14)
		r.explain(row)
		r.report(r.completedEvent())
		return true
	}
	if r.in.Framework.Deleting {
		r.hold(&f15)
		return false
	}
	if r.suspended() {
		r.hold(&f15)
		r.clearName() // it may stay like this for long
		return false
	}
	if !scheduled {
		r.schedule(row)
	}
	if !r.retryDue() {
		r.hold(&f15)
		return false
	}
	r.retryAttempt(row)
	return true
}

func (r *round) retryCase() retryCase {
	return r.retryCaseOf(Ending{Status: r.status.AttemptStatus.CompletionStatus.CompletionStatus, Time: r.status.TransitionTime.Time})
}

// retryCaseOf is about an attempt of the Framework that ends so.
func (r *round) retryCaseOf(ended Ending) retryCase {
	return retryCase{policy: r.in.Framework.Spec.RetryPolicy, counters: r.status.RetryPolicyStatus, ended: ended}
}

// retryAttempt replaces the completed attempt by a new one, made from the current spec.
func (r *round) retryAttempt(row *RetryRow) {
	r.retryCase().count(&r.status.RetryPolicyStatus, row)
	r.move(&f16)
	r.explain(row)
	ended := summary(r.status.AttemptStatus.CompletionStatus.CompletionStatus)
	r.newAttempt(r.status.RetryPolicyStatus.TotalRetriedCount)
	r.report(Event{Reason: ReasonRetried, Message: fmt.Sprintf("attempt %d begins, after %s", r.status.AttemptStatus.ID, ended)})
}

func (r *round) completedEvent() Event {
	s := r.status.AttemptStatus.CompletionStatus.CompletionStatus
	retries := "retries"
	if r.status.RetryPolicyStatus.TotalRetriedCount == 1 {
		retries = "retry"
	}
	return Event{
		Warning: s.Type.Name == v1.CompletionFailed,
		Reason:  ReasonCompleted,
		Message: fmt.Sprintf("completed after %d %s: %s", r.status.RetryPolicyStatus.TotalRetriedCount, retries, summary(s)),
	}
}

// stepAttemptCompleted decides on, waits for, or executes a retry of the Task. There is none while the
// Framework's attempt is completing, so that the Task's own failure stays visible (decisions, W15).
func (t task) stepAttemptCompleted() (again bool) {
	if t.r.completing() || t.role.spec == nil {
		return t.finish(nil)
	}
	row := t.retryCase().decide()
	scheduled := t.status().RetryPolicyStatus.RetryDelaySec != nil
	if !row.Retry && !retrySettled(t.role.name, t.status()) {
		return t.finish(row)
	}
	if t.r.in.Framework.Deleting {
		t.r.holdTask(t, &t12a)
		return false
	}
	if !scheduled {
		t.schedule(row)
	}
	t.drawPeers() // unless that was done when it failed, as the policy said something else
	if t.restarting() {
		t.r.holdTask(t, &t12b)
		return false
	}
	if !t.retryDue() {
		t.r.holdTask(t, &t12a)
		return false
	}
	t.retry(row)
	return true
}

func (t task) retryCase() retryCase {
	return t.retryCaseOf(TaskEnding(&t.status().AttemptStatus, t.r.now.Time))
}

// retryCaseOf is about an attempt of the Task that ends so.
func (t task) retryCaseOf(ended Ending) retryCase {
	return taskRetryCase(t.role.spec, t.role.retried, t.status(), ended)
}

// finish completes the Task for good, because of that row if it is not nil, and lets it decide the attempt.
func (t task) finish(row *RetryRow) (again bool) {
	if t.status().RetryPolicyStatus.RetryDelaySec != nil {
		t.update(func(s *v1.TaskStatus) { s.RetryPolicyStatus.RetryDelaySec = nil })
	}
	t.move(&t13)
	t.r.explain(row)
	if t.r.completing() || t.status().DeletionPending {
		return true
	}
	if !succeeded(t.status()) {
		t.r.taskFailed(t)
	}
	if row != nil && row.EndsAttempt {
		t.r.completeAttempt(inherit(t, givenUp(t.status().AttemptStatus.CompletionStatus.Source)))
		return true
	}
	t.r.applyPolicyTo(t)
	return true
}

func (t task) retry(row *RetryRow) {
	now, because, c := t.r.now, retriedBecause(t.status().AttemptStatus), t.retryCase()
	t.move(&t12)
	t.r.explain(row)
	t.update(func(s *v1.TaskStatus) {
		c.count(&s.RetryPolicyStatus, row)
		s.EarlierAttempts = withEarlier(s)
		s.AttemptStatus = newTaskAttempt(s.RetryPolicyStatus.TotalRetriedCount, s.AttemptStatus.PodName, now)
	})
	t.r.report(Event{Reason: ReasonTaskRetried, Message: fmt.Sprintf("Task %s: attempt %d begins%s", t.ref(), t.status().AttemptStatus.ID, because)})
}
