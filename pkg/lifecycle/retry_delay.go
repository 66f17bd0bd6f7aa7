package lifecycle

import (
	"encoding/binary"
	"fmt"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// backoffSec is the waiting time, in seconds, before the retry that follows so many others: it doubles each
// time, up to the maximum. The first one is never cut: with the CRD's defaults, a maximum that was left out looks
// like one of 300. Without a backoff it is 0 (decisions, W26).
func backoffSec(backoff *v1.RetryBackoffSpec, retries int32) int64 {
	if backoff == nil {
		return 0
	}
	delay := int64(backoff.InitialDelaySec)
	most := max(int64(backoff.MaxDelaySec), delay)
	for ; retries > 0 && delay > 0 && delay < most; retries-- {
		delay *= 2
	}
	return min(delay, most)
}

func (r *round) delaySec(row *RetryRow) int64 {
	switch {
	case row.AtOnce:
		return 0
	case row.Conflict:
		return r.conflictDelaySec()
	}
	return max(backoffSec(r.in.Framework.Spec.RetryPolicy.Backoff, r.status.RetryPolicyStatus.TotalRetriedCount), r.unstartedPauseSec())
}

// conflictDelaySec draws the delay before a retry that follows a conflict, both bounds included.
func (r *round) conflictDelaySec() int64 {
	low, high := r.in.Config.ConflictRetryDelayMinSec, r.in.Config.ConflictRetryDelayMaxSec
	if high <= low {
		return low
	}
	b := r.random("conflict delay")
	return low + int64(binary.BigEndian.Uint64(b[:8])%uint64(high-low+1))
}

// schedule records a delay before the retry. No delay is not recorded, unless it was drawn: it would be drawn again.
func (r *round) schedule(row *RetryRow) {
	delaySec := max(r.delaySec(row), 0)
	if r.stopping() || delaySec == 0 && !row.Conflict {
		return
	}
	r.status.RetryPolicyStatus.RetryDelaySec = &delaySec
	if delaySec == 0 {
		return
	}
	r.report(Event{Reason: ReasonRetryScheduled, Message: fmt.Sprintf("attempt %d is followed by another after %d s", r.status.AttemptStatus.ID, delaySec)})
}

// retryDue reports whether the retry may be executed now. If not, it has asked for another round. The attempt
// to be replaced must be stored as completed first. A stop does not wait.
func (r *round) retryDue() bool {
	if delay := r.status.RetryPolicyStatus.RetryDelaySec; delay != nil && !r.stopping() {
		due := r.status.TransitionTime.Add(seconds(*delay))
		if r.now.Time.Before(due) {
			r.wakeAt(due)
			return false
		}
	}
	if r.in.Saved == nil || r.in.Saved.status.State != v1.AttemptCompleted {
		r.out.Requeue = true
		return false
	}
	return true
}

// delaySec is what the plugin that has judged the failure says; otherwise what the policy says, and at least the pause of a Pod
// that never ran.
func (t task) delaySec(row *RetryRow) int64 {
	c := t.retryCase()
	switch advice := c.ended.Advice; {
	case row.AtOnce:
		return 0
	case advice != nil && advice.DelaySec != nil:
		return int64(*advice.DelaySec)
	}
	return max(backoffSec(c.policy.Backoff, c.counters.TotalRetriedCount), UnstartedPauseSec(t.status()))
}

// schedule records the Task's retry delay, if it has one. A Task that is being removed does not wait.
func (t task) schedule(row *RetryRow) {
	delaySec := t.delaySec(row)
	if delaySec <= 0 || t.status().DeletionPending {
		return
	}
	t.update(func(s *v1.TaskStatus) { s.RetryPolicyStatus.RetryDelaySec = &delaySec })
	a := t.status().AttemptStatus
	t.r.report(Event{Reason: ReasonTaskRetryScheduled, Message: fmt.Sprintf("Task %s: attempt %d (%s) is followed by another after %d s",
		t.ref(), a.ID, summary(a.CompletionStatus.CompletionStatus), delaySec)})
}

// retryTime is when the Task's retry is due; zero if it need not wait.
func (t task) retryTime() time.Time {
	s := t.status()
	if delay := s.RetryPolicyStatus.RetryDelaySec; delay != nil && !s.DeletionPending {
		return s.TransitionTime.Add(seconds(*delay))
	}
	return time.Time{}
}

// retryDue reports whether the retry may be executed now; see round.retryDue.
func (t task) retryDue() bool {
	if due := t.retryTime(); t.r.now.Time.Before(due) {
		t.r.wakeAt(due)
		return false
	}
	if !t.isStored() {
		t.r.requeue(t.ref())
		return false
	}
	return true
}
