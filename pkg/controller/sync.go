package controller

import (
	"context"
	"crypto/rand"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// sync runs one round of one Framework. After an error, the round was dropped and must be retried.
func (c *Controller) sync(ctx context.Context, key cache.ObjectName) error {
	r := c.queue.records.get(key)
	if err := c.handleEvents(r); err != nil {
		return err
	}
	stored, err := c.reader.read(ctx, r)
	if err == nil && !stored {
		c.others.await(key, nil)
		if r.stored.elsewhere {
			c.others.tell(key, r.asOther())
		}
	}
	if err != nil || !stored {
		return err
	}
	c.reporter.history.logEarlyPods(r)
	return c.round(ctx, r)
}

// round decides, stores and performs, in this order: the heart of the controller.
func (c *Controller) round(ctx context.Context, r *record) error {
	if c.deferBehindActions(r) || c.deferBehindRound(r) {
		return nil
	}
	start := c.now()
	if due(r.schedule.wakeAt, start) || due(r.schedule.retryAt, start) {
		r.schedule.retryAt = time.Time{}
		r.dependents.askAgain()
		r.questions.askWaitingAgain()
		r.schedule.lookAtAll()
	}
	in := c.input(r)
	out := lifecycle.Step(in)
	if r.pruneBlockers(out.Actions) {
		in = c.input(r)
		out = lifecycle.Step(in)
	}
	actions, questions := r.startable(out.Actions, c.now()), r.questions.askable(out.Actions)
	reading, archiving := among(actions, reads), among(questions, archives)
	if c.deferWrite(r, out, len(actions)-len(reading)+len(questions)-len(archiving)) {
		c.performer.startAll(r, reading)
		c.asker.askAll(r, archiving)
		c.startRoundCooldown(r, start)
		return nil
	}
	c.reporter.history.logDropped(r, out, actions)
	before := r.status.saved
	if err := c.writer.persist(ctx, r, out); err != nil {
		r.schedule.lookAtAll()
		return err
	}
	if r.reported.logged = nil; r.status.saved != before {
		r.followItems()
		c.reader.account(r)
	}
	if in.Asking.Completion {
		r.questions.noteFinished(out.Moves, in.Now)
	}
	c.others.tell(r.key, r.asOther())
	c.reporter.report(r, before, out)
	c.reporter.warnOfItems(r)
	c.asker.archiver.sendUnwaited(r, before)
	c.asker.archiver.sendHappenings(r, before, out.Events, in.Now)
	c.asker.archiver.sendCompleted(r, out.Moves)
	c.noteDeletions(r, actions)
	c.performer.startAll(r, actions)
	c.asker.askAll(r, questions)
	c.next(r, out)
	return nil
}

// input returns the input of the next step. Its sources are recorded for rounds that look at less.
func (c *Controller) input(r *record) lifecycle.Input {
	c.watches.dropOutdatedAnswers(r)
	now := c.now()
	seen, again := c.watches.observe(r, now)
	r.note(seen, again, now)
	seen.Stalls = r.dependents.stalls
	framework := r.framework
	framework.Spec = r.given
	seen.Others, seen.OthersCircle = c.others.await(r.key, r.awaitsOthers())
	in := lifecycle.Input{
		Framework: framework,
		Saved:     r.status.saved,
		Observed:  seen,
		Config:    c.options.Lifecycle,
		Asking:    c.options.Plugins.Asking(r.uses()),
		Now:       now,
	}
	_, _ = rand.Read(in.Seed[:]) // never fails
	return in
}

// longestDelay limits how far ahead a key is added to the queue. It cannot be withdrawn, and a Framework that is kept for a
// month may be deleted at once. A round that comes too early only schedules the next.
const longestDelay = time.Hour

// next records that the round is done, and schedules the next look.
func (c *Controller) next(r *record, out lifecycle.Output) {
	wasFull := r.schedule.full
	r.schedule.beginRound()
	if out.State.Framework().State == v1.Completed {
		r.ended.Store(true)
		r.releaseMemory()
	}
	for _, ref := range out.RequeueTasks {
		r.schedule.lookAt(ref)
	}
	if wasFull || !out.WakeAt.IsZero() && out.WakeAt.Before(r.schedule.wakeAt) || r.schedule.wakeAt.IsZero() {
		r.schedule.wakeAt = out.WakeAt
	}
	for _, at := range []time.Time{r.schedule.wakeAt, r.schedule.retryAt} {
		// Added in every round: the queue keeps only the earliest time of a key.
		if !at.IsZero() {
			c.queue.AddAfter(r.key, min(at.Sub(c.now()), longestDelay))
		}
	}
	if out.Requeue {
		c.queue.Add(r.key)
	}
}

// due reports whether a time is set and has come.
func due(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }
