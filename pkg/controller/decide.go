package controller

import (
	"context"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// decide asks whether the attempt is to end.
func (k *asker) decide(r *record, a lifecycle.DecideCompletion) inquiry {
	panel := k.panel
	uses := r.uses()
	if hints := r.status.saved.Framework().AttemptStatus.SchedulerHints; hints != nil {
		uses = panel.WithoutLost(uses, hints.Plugin) // it is no completion policy
	}
	question := &pluginpb.DecideRequest{Framework: r.inQuestion(), Digest: a.Digest}
	for i := range r.framework.Spec.TaskRoles {
		question.Roles = append(question.Roles, consult.RoleProgress(&r.framework.Spec.TaskRoles[i], r.status.saved, r.questions.finishedAt))
	}
	return func(ctx context.Context) func(*record) {
		skipped := skippedPlugins{}
		decision, err := panel.Decide(ctx, uses, question, skipped.add)
		return func(r *record) {
			k.reporter.warnOfSkipped(r, skipped, "whether the attempt ends")
			if err != nil {
				k.postpone(r, a, err)
				return
			}
			r.questions.decision, r.questions.lacking = r.questions.decisionThatCounts(decision, skipped), skipped.faulty() || r.questions.outdated
			r.questions.outdated = false
			if r.questions.lacking {
				r.schedule.retryNotAfter(k.now().Add(askAgainAfter))
			}
			r.schedule.lookAtAll()
		}
	}
}

// decisionThatCounts is the decision that counts: this one, unless it was made without a plugin that has decided the
// same question before. That it does not answer now, such as while it is restarted, does not change its mind.
func (q *questions) decisionThatCounts(now *lifecycle.Decision, skipped skippedPlugins) *lifecycle.Decision {
	before := q.decided
	if before != nil && before.Digest == now.Digest && skipped.isFaulty(before.Source.Plugin) {
		return before
	}
	q.decided = nil
	if now.Source.Plugin != "" {
		q.decided = now
	}
	return now
}

// PoliciesChanged has every attempt decided anew: what a completion policy has said is kept until something changes, and
// the policies are something. It may be called at any time.
func (c *Controller) PoliciesChanged() {
	for _, key := range c.queue.records.keys() {
		if !c.queue.records.lowPriority(key) { // nothing has been decided about it yet, or everything has
			c.queue.enqueue(key, policiesChanged{})
		}
	}
}

// forgetDecision has the decision made anew, also if it is only under way. It reports whether there was one.
func (q *questions) forgetDecision() (known bool) {
	q.outdated, known = q.deciding(), q.decision != nil
	q.decision = nil
	return known
}

// noteFinished remembers in which order Tasks complete: the status has whole seconds, and a policy may have to know which
// of two was first. After a restart only the status is known.
func (q *questions) noteFinished(moves []lifecycle.Move, now time.Time) {
	for i, m := range moves {
		if m.Task != nil && m.To == v1.Completed {
			q.finished[*m.Task] = now.Add(time.Duration(i)) // in the order of the round
		}
	}
}

// finishedAt is when a Task completed, if that is known more exactly than to the second.
func (q *questions) finishedAt(ref lifecycle.TaskRef, stored time.Time) time.Time {
	if exact, known := q.finished[ref]; known && exact.Truncate(time.Second).Equal(stored) {
		return exact
	}
	return stored
}
