package lifecycle

import (
	"fmt"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// verdict is the answer of a retry policy.
type verdict struct {
	row         string // of the table in the contract, section 3.1
	retry       bool
	accountable bool
	conflict    bool // wait for a random time, so that competitors do not meet again
}

// decideRetry applies the first row that fits (contract 3.1).
func decideRetry(policy v1.RetryPolicySpec, counters v1.RetryPolicyStatus, s v1.CompletionStatus) verdict {
	failed := s.Type.Name == v1.CompletionFailed
	fancy := policy.FancyRetryPolicy && failed
	switch {
	case neverRetried(s):
		return verdict{row: "R0"}
	case fancy && has(s, v1.AttributeTransient) && has(s, v1.AttributeConflict):
		return verdict{row: "R1", retry: true, conflict: true}
	case fancy && has(s, v1.AttributeTransient):
		return verdict{row: "R2", retry: true}
	case fancy && has(s, v1.AttributePermanent):
		return verdict{row: "R3"}
	case policy.MaxRetryCount == v1.RetryAlways:
		return verdict{row: "R4", retry: true, accountable: true}
	case failed && policy.MaxRetryCount == v1.RetryOnFailure:
		return verdict{row: "R5", retry: true, accountable: true}
	case failed && counters.AccountableRetriedCount < policy.MaxRetryCount:
		return verdict{row: "R6", retry: true, accountable: true}
	}
	return verdict{row: "R7"}
}

// neverRetried: the controller itself ended the attempt. Code and phrase must both match, since a container
// may exit with any number (decisions, W13).
func neverRetried(s v1.CompletionStatus) bool {
	return completion.IsPredefined(s, completion.CodeStopFrameworkRequested, completion.CodeFrameworkAttemptCompletion, completion.CodeDeleteTaskRequested)
}

func has(s v1.CompletionStatus, want v1.CompletionTypeAttribute) bool {
	for _, attribute := range s.Type.Attributes {
		if attribute == want {
			return true
		}
	}
	return false
}

// backoffSec is the waiting time, in seconds, before the retry that follows so many others: it doubles each
// time, up to the maximum. Without a backoff it is 0 (decisions, W26).
func backoffSec(backoff *v1.RetryBackoffSpec, retries int32) int64 {
	if backoff == nil {
		return 0
	}
	delay, most := int64(backoff.InitialDelaySec), int64(backoff.MaxDelaySec)
	for ; retries > 0 && delay > 0 && delay < most; retries-- {
		delay *= 2
	}
	return min(delay, most)
}

// count enters an executed retry into the counters.
func count(s *v1.RetryPolicyStatus, accountable bool) {
	s.TotalRetriedCount++
	if accountable {
		s.AccountableRetriedCount++
	}
	s.RetryDelaySec = nil
}

// stepAttemptCompleted decides on, waits for, or executes a retry of the Framework.
func (r *round) stepAttemptCompleted() (again bool) {
	policy, counters := r.in.Framework.Spec.RetryPolicy, &r.status.RetryPolicyStatus
	v := decideRetry(policy, *counters, r.status.AttemptStatus.CompletionStatus.CompletionStatus)
	scheduled := counters.RetryDelaySec != nil
	if !v.retry && !scheduled {
		r.move(&f14)
		r.report(r.completedEvent())
		return true
	}
	if r.in.Framework.Deleting {
		r.hold(&f15)
		return false
	}
	if !scheduled {
		r.schedule(r.frameworkDelaySec(v))
	}
	if !r.retryDue() {
		r.hold(&f15)
		return false
	}
	r.retryAttempt(v.accountable)
	return true
}

func (r *round) frameworkDelaySec(v verdict) int64 {
	if v.conflict {
		return r.conflictDelaySec()
	}
	return backoffSec(r.in.Framework.Spec.RetryPolicy.Backoff, r.status.RetryPolicyStatus.TotalRetriedCount)
}

// schedule records a delay before the retry. No delay is not recorded.
func (r *round) schedule(delaySec int64) {
	if delaySec <= 0 || r.stopping() {
		return
	}
	r.status.RetryPolicyStatus.RetryDelaySec = &delaySec
	r.report(Event{Reason: ReasonRetryScheduled, Message: fmt.Sprintf("attempt %d is followed by another after %d s", r.status.AttemptStatus.ID, delaySec)})
}

// retryDue reports whether the retry may be executed now. If not, it has asked for another round. The attempt
// to be replaced must be stored as completed first. A stop does not wait.
func (r *round) retryDue() bool {
	if delay := r.status.RetryPolicyStatus.RetryDelaySec; delay != nil && !r.stopping() {
		due := r.status.TransitionTime.Add(time.Duration(*delay) * time.Second)
		if r.now.Time.Before(due) {
			r.wakeAt(due)
			return false
		}
	}
	if r.in.Saved.status.State != v1.AttemptCompleted {
		r.out.Again = true
		return false
	}
	return true
}

// retryAttempt replaces the completed attempt by a new one, made from the current spec.
func (r *round) retryAttempt(accountable bool) {
	count(&r.status.RetryPolicyStatus, accountable)
	r.move(&f16)
	r.newAttempt(r.status.RetryPolicyStatus.TotalRetriedCount)
	r.report(Event{Reason: ReasonRetried, Message: fmt.Sprintf("attempt %d begins", r.status.AttemptStatus.ID)})
}

func (r *round) completedEvent() Event {
	s := r.status.AttemptStatus.CompletionStatus.CompletionStatus
	return Event{
		Warning: s.Type.Name == v1.CompletionFailed,
		Reason:  ReasonCompleted,
		Message: fmt.Sprintf("completed after %d retries: %s", r.status.RetryPolicyStatus.TotalRetriedCount, summary(s)),
	}
}

// stepAttemptCompleted decides on, waits for, or executes a retry of the Task. There is none while the
// Framework's attempt is completing, so that the Task's own failure stays visible (decisions, W15).
func (t task) stepAttemptCompleted() (again bool) {
	if t.r.completing() || t.role.spec == nil {
		return t.finish()
	}
	s := t.status()
	v := decideRetry(t.role.spec.Task.RetryPolicy, s.RetryPolicyStatus, s.AttemptStatus.CompletionStatus.CompletionStatus)
	scheduled := s.RetryPolicyStatus.RetryDelaySec != nil
	if !v.retry && !scheduled {
		return t.finish()
	}
	if t.r.in.Framework.Deleting {
		return false
	}
	if !scheduled {
		t.schedule()
	}
	if !t.retryDue() {
		return false
	}
	t.retry(v.accountable)
	return true
}

// finish completes the Task for good, and lets it decide the attempt.
func (t task) finish() (again bool) {
	if t.status().RetryPolicyStatus.RetryDelaySec != nil {
		t.update(func(s *v1.TaskStatus) { s.RetryPolicyStatus.RetryDelaySec = nil })
	}
	t.move(&t13)
	if t.r.completing() || t.status().DeletionPending {
		return true
	}
	if !succeeded(t.status()) {
		t.r.taskFailed(t)
	}
	t.r.applyPolicyTo(t)
	return true
}

// schedule records the Task's retry delay, if it has one. A Task that is being removed does not wait.
func (t task) schedule() {
	delaySec := backoffSec(t.role.spec.Task.RetryPolicy.Backoff, t.status().RetryPolicyStatus.TotalRetriedCount)
	if delaySec > 0 && !t.status().DeletionPending {
		t.update(func(s *v1.TaskStatus) { s.RetryPolicyStatus.RetryDelaySec = &delaySec })
	}
}

// retryDue reports whether the retry may be executed now; see round.retryDue.
func (t task) retryDue() bool {
	s := t.status()
	if delay := s.RetryPolicyStatus.RetryDelaySec; delay != nil && !s.DeletionPending {
		due := s.TransitionTime.Add(time.Duration(*delay) * time.Second)
		if t.r.now.Time.Before(due) {
			t.r.wakeAt(due)
			return false
		}
	}
	if !t.isStored() {
		t.r.revisit(t.ref())
		return false
	}
	return true
}

func (t task) retry(accountable bool) {
	now := t.r.now
	t.move(&t12)
	t.update(func(s *v1.TaskStatus) {
		count(&s.RetryPolicyStatus, accountable)
		s.AttemptStatus = newTaskAttempt(s.RetryPolicyStatus.TotalRetriedCount, s.AttemptStatus.PodName, now)
	})
	t.r.report(Event{Reason: ReasonTaskRetried, Message: fmt.Sprintf("Task %s: attempt %d begins", t.ref(), t.status().AttemptStatus.ID)})
}
