package lifecycle

import (
	"fmt"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Package retry decides whether another attempt follows. Here the Framework and its Tasks move accordingly.

// stepAttemptCompleted decides on, waits for, or executes a retry of the Framework.
func (r *round) stepAttemptCompleted() (again bool) {
	d := retry.Decide(r.retryCase())
	if !d.Follows {
		r.move(&f14)
		r.explain(d.ID)
		r.report(r.completedEvent(d))
		return true
	}
	if r.in.Framework.Deleting {
		r.hold(&f15)
		return false
	}
	if r.suspended() {
		r.hold(&f15)
		r.clearName() // this state may last long
		return false
	}
	if r.status.RetryPolicyStatus.RetryDelaySec == nil {
		r.schedule(d)
	}
	if !r.retryDue() {
		r.hold(&f15)
		return false
	}
	r.retryAttempt(d)
	return true
}

func (r *round) retryCase() retry.Case {
	c := r.retryCaseOf(retry.Ending{Status: r.status.AttemptStatus.CompletionStatus.CompletionStatus, Time: r.status.TransitionTime.Time})
	if by := r.status.AttemptStatus.CompletionStatus.Trigger; by != nil {
		if t, found := r.taskNamed(TaskRef{by.TaskRoleName, by.TaskIndex}); found {
			c.PauseSec = retry.FrameworkPauseSec(&r.status, t.status())
		}
	}
	return c
}

// retryCaseOf is about an attempt of the Framework that ends so.
func (r *round) retryCaseOf(ended retry.Ending) retry.Case {
	c := retry.OfFramework(r.in.Framework.Spec.RetryPolicy, r.status.RetryPolicyStatus, ended)
	c.Conflict = &retry.ConflictDelay{
		Seed: r.in.Seed, MinSec: r.in.Config.ConflictRetryDelayMinSec, MaxSec: r.in.Config.ConflictRetryDelayMaxSec,
	}
	return c
}

// retriesLeft returns the Framework's remaining retries when an attempt ends and no Task has ended it. Nobody asks for a retry of a
// Framework that is being deleted.
func (r *round) retriesLeft(ended v1.CompletionStatus) []v1.RetryVerdict {
	if r.in.Framework.Deleting {
		return nil
	}
	return retry.VerdictsWithoutTask(r.in.Framework.Spec.TaskRoles, r.retryCaseOf(retry.Ending{Status: ended, Time: r.now.Time}))
}

// schedule records a delay before the retry. No delay is not recorded, unless it was drawn: it would be drawn again.
func (r *round) schedule(d retry.Decision) {
	if r.stopping() || d.DelaySec == 0 && !d.Conflict {
		return
	}
	delaySec := d.DelaySec
	r.status.RetryPolicyStatus.RetryDelaySec = &delaySec
	if delaySec == 0 {
		return
	}
	r.report(Event{
		Reason: reason.RetryScheduled, Facts: r.attemptFacts(d),
		Message: fmt.Sprintf("attempt %d is followed by another after %d s", r.status.AttemptStatus.ID, delaySec),
	})
}

// retryDue reports whether the retry may be executed now. If not, it has asked for another round. The attempt
// to be replaced must be stored as completed, and archived, first. A stop does not wait.
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
	return r.stopping() || r.archiveAttempt()
}

// retryAttempt replaces the completed attempt by a new one, made from the current spec.
func (r *round) retryAttempt(d retry.Decision) {
	r.status.RetryPolicyStatus = d.Counted(r.retryCase())
	r.move(&f16)
	r.explain(d.ID)
	facts, ended := r.attemptFacts(d), summary(r.status.AttemptStatus.CompletionStatus.CompletionStatus)
	r.newAttempt(r.status.RetryPolicyStatus.TotalRetriedCount)
	r.report(Event{
		Reason: reason.Retried, Facts: facts,
		Message: fmt.Sprintf("attempt %d begins, after %s", r.status.AttemptStatus.ID, ended),
	})
}

func (r *round) completedEvent(d retry.Decision) Event {
	s := r.status.AttemptStatus.CompletionStatus.CompletionStatus
	retries := "retries"
	if r.status.RetryPolicyStatus.TotalRetriedCount == 1 {
		retries = "retry"
	}
	return Event{
		Warning: s.Type.Name == v1.CompletionFailed,
		Reason:  reason.Completed, Facts: r.attemptFacts(d),
		Message: fmt.Sprintf("completed after %d %s: %s", r.status.RetryPolicyStatus.TotalRetriedCount, retries, summary(s)),
	}
}

// attemptFacts returns the facts about the attempt of the Framework, whose end is decided, with the row that decided on a retry.
func (r *round) attemptFacts(d retry.Decision) reason.Facts {
	a := &r.status.AttemptStatus
	f := reason.Facts{Row: string(d.ID)}.OfAttempt(a.ID).Ended(a.CompletionStatus.Code, a.CompletionStatus.Phrase)
	if by := a.CompletionStatus.Trigger; by != nil && by.TaskRoleName != "" {
		f.Tasks = []string{TaskRef{by.TaskRoleName, by.TaskIndex}.String()}
	}
	return f
}

// stepAttemptCompleted decides on, waits for, or executes a retry of the Task. There is none while the
// Framework's attempt is completing, so that the Task's own failure stays visible (decisions, W15).
func (t task) stepAttemptCompleted() (again bool) {
	if t.r.completing() || t.role.spec == nil {
		return t.finish(nil)
	}
	d := retry.Decide(t.retryCase())
	if !d.Follows {
		return t.finish(&d)
	}
	if t.r.in.Framework.Deleting {
		t.r.holdTask(t, &t12a)
		return false
	}
	if t.status().RetryPolicyStatus.RetryDelaySec == nil {
		t.schedule(d)
	}
	t.drawPeers() // unless that was done at the failure, as the policy was different then
	if t.restarting() {
		t.r.holdTask(t, &t12b)
		return false
	}
	if !t.retryDue() {
		t.r.holdTask(t, &t12a)
		return false
	}
	t.retry(d)
	return true
}

func (t task) retryCase() retry.Case {
	return t.retryCaseOf(retry.EndingOf(&t.status().AttemptStatus, t.r.now.Time))
}

// retryCaseOf is about an attempt of the Task that ends so.
func (t task) retryCaseOf(ended retry.Ending) retry.Case {
	return retry.OfTask(t.role.spec, t.role.retried, t.status(), ended)
}

// retriesLeft returns the remaining retries of the Task, its role and the Framework when the Task ends the attempt.
func (t task) retriesLeft() []v1.RetryVerdict {
	if t.role.spec == nil {
		return nil
	}
	c := t.retryCase()
	return retry.VerdictsOnTask(t.ref().String(), t.role.spec, c, t.r.retryCaseOf(retry.Ending{Status: c.Ended.Status, Time: t.r.now.Time}))
}

// finish completes the Task for good, by that decision if it is not nil, and lets it decide the attempt.
func (t task) finish(d *retry.Decision) (again bool) {
	if t.status().RetryPolicyStatus.RetryDelaySec != nil {
		t.update(func(s *v1.TaskStatus) { s.RetryPolicyStatus.RetryDelaySec = nil })
	}
	t.move(&t13)
	if d != nil {
		t.r.explain(d.ID)
	}
	if t.r.completing() || t.status().DeletionPending {
		return true
	}
	if !succeeded(t.status()) {
		t.reportFailed(d)
	}
	if d != nil && d.EndsAttempt {
		t.r.completeAttempt(inherit(t, givenUp(t.status().AttemptStatus.CompletionStatus.Source)))
		return true
	}
	t.r.applyPolicyTo(t)
	return true
}

func (t task) reportFailed(d *retry.Decision) {
	s := t.status().AttemptStatus.CompletionStatus
	t.r.report(Event{
		Warning: true, Reason: reason.TaskFailed, Facts: t.facts(d),
		Message: followedBy(fmt.Sprintf("Task %s: %s", t.ref(), summaryWithCause(s.CompletionStatus)), s.Remedy),
	})
}

// schedule records the Task's retry delay, if it has one. A Task that is being removed does not wait.
func (t task) schedule(d retry.Decision) {
	if d.DelaySec == 0 || t.status().DeletionPending {
		return
	}
	delaySec := d.DelaySec
	t.update(func(s *v1.TaskStatus) { s.RetryPolicyStatus.RetryDelaySec = &delaySec })
	a := t.status().AttemptStatus
	t.r.report(Event{
		Reason: reason.TaskRetryScheduled, Facts: t.facts(&d),
		Message: fmt.Sprintf("Task %s: attempt %d (%s) is followed by another after %d s",
			t.ref(), a.ID, summary(a.CompletionStatus.CompletionStatus), delaySec),
	})
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
	return t.archive()
}

func (t task) retry(d retry.Decision) {
	now, c, facts, because := t.r.now, t.retryCase(), t.facts(&d), retriedBecause(t.status().AttemptStatus)
	keeps := t.keepsTurn()
	t.move(&t12)
	t.r.explain(d.ID)
	t.update(func(s *v1.TaskStatus) {
		s.RetryPolicyStatus = d.Counted(c)
		s.EarlierAttempts = withEarlier(s)
		s.AttemptStatus = newTaskAttempt(s.RetryPolicyStatus.TotalRetriedCount, s.AttemptStatus.PodName, now)
		s.AttemptStatus.AwaitsTurn = !keeps && !s.DeletionPending // a Task that is being removed needs no turn
	})
	t.r.report(Event{
		Reason: reason.TaskRetried, Facts: facts,
		Message: fmt.Sprintf("Task %s: attempt %d begins%s", t.ref(), t.status().AttemptStatus.ID, because),
	})
}

// facts returns the facts about the attempt of the Task, which has ended, with the row that decided on a retry.
func (t task) facts(d *retry.Decision) reason.Facts {
	a := &t.status().AttemptStatus
	f := reason.Facts{Tasks: []string{t.ref().String()}}.OfAttempt(a.ID).Ended(a.CompletionStatus.Code, a.CompletionStatus.Phrase)
	if a.PodNodeName != nil {
		f.Node = *a.PodNodeName
	}
	if d != nil {
		f.Row = string(d.ID)
	}
	return f
}
