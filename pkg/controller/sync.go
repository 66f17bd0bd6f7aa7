package controller

import (
	"context"
	"crypto/rand"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

const (
	// coalesce is how long a status change that nothing depends on waits for company (decisions, "Coalescing").
	coalesce = 200 * time.Millisecond
	// After a status write that took d, the next one that no action depends on waits cooldownFactor * d, and longestCooldown
	// at most. To store a status of 1,000 Tasks costs the API server as much as a dozen Pods do, and it would be at that most
	// of the time while the Pods of such a Framework get to run. This is an exception to "Coalescing" for the sake of "Client rate" (decisions): a Framework has
	// one status write in flight at most, and here for a quarter of the time at most.
	cooldownFactor  = 3
	longestCooldown = time.Second
	// longestQueue is how long a round waits at most until what its Framework has asked for before has begun. Status
	// writes are subject to the cap on writes in flight too (decisions, "Client rate"), and what the round would ask
	// for would only queue behind the others.
	longestQueue = 5 * time.Second
	// longestFailure is the same if a Pod has failed: the attempt may end by that. Not at once, as many may fail together.
	longestFailure = time.Second
	// longestDelay is how long a key waits at most until it is added to the queue. It cannot be taken back, and a Framework
	// that is kept for a month may be deleted at once. A round that comes before its time does nothing but ask again.
	longestDelay = time.Hour
)

// sync is one round of one Framework. An error means that the round was dropped, and is to be tried again.
func (c *Controller) sync(ctx context.Context, key cache.ObjectName) error {
	r := c.queue.records.get(key)
	if err := c.handleEvents(r); err != nil {
		return err
	}
	stored, err := c.reader.read(ctx, r)
	if err != nil || !stored {
		return err
	}
	c.reporter.history.logEarlyPods(r)
	return c.round(ctx, r)
}

// round decides, stores and performs: the heart of the controller, in its order.
func (c *Controller) round(ctx context.Context, r *record) error {
	if c.mayQueue(r) {
		return nil
	}
	if now := c.now(); due(r.schedule.wakeAt, now) || due(r.schedule.retryAt, now) {
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
	if c.mayWait(r, out, len(actions)+len(questions)) {
		return nil
	}
	c.reporter.history.logDropped(r, out, actions)
	before := r.status.saved
	if err := c.writer.persist(ctx, r, out); err != nil {
		r.schedule.lookAtAll()
		return err
	}
	if r.reported.logged = nil; r.status.saved != before {
		c.reader.weighIn(r)
	}
	if in.Asking.Completion {
		r.questions.noteFinished(out.Moves, in.Now)
	}
	c.reporter.report(r, before, out)
	c.performer.startAll(r, actions)
	c.asker.askAll(r, questions)
	c.next(r, out)
	return nil
}

// input is what the next step decides from. What it was put together from is noted for rounds that look at less.
func (c *Controller) input(r *record) lifecycle.Input {
	c.watches.dropOutdatedAnswers(r)
	now := c.now()
	seen, again := c.watches.observe(r, now)
	r.note(seen, again, now)
	seen.Stays = r.dependents.stays
	in := lifecycle.Input{
		Framework: r.framework,
		Saved:     r.status.saved,
		Observed:  seen,
		Config:    c.options.Lifecycle,
		Asking:    c.options.Plugins.Asking(r.uses()),
		Now:       c.now(),
	}
	_, _ = rand.Read(in.Seed[:]) // never fails
	return in
}

// mayQueue reports whether the round can be left out for now, because what its Framework has asked for before has not
// begun yet. What a user has changed does not wait, and neither does the end of a ConfigMap: it may be that nothing of it
// is wanted any more.
func (c *Controller) mayQueue(r *record) bool {
	most := longestQueue
	if r.schedule.failure {
		most = longestFailure
	}
	return !r.urgent() && c.performer.pool.waiting(r.key) && c.hold(r, most)
}

// urgent reports whether something has happened that may make what is under way unwanted: a changed spec, or a ConfigMap that goes.
func (r *record) urgent() bool {
	return r.schedule.over || r.status.saved == nil || r.status.saved.Framework().ObservedGeneration != r.framework.Generation
}

// mayWait reports whether the round can be left out for now, because all it would do is to store a change that
// nothing depends on yet. It will be taken again, with all that is new by then.
func (c *Controller) mayWait(r *record, out lifecycle.Output, dependents int) bool {
	return out.State != r.status.saved && !out.Again && dependents == 0 &&
		!opensGate(r.status.saved, out.State) && !completes(r.status.saved, out.State) &&
		(c.hold(r, coalesce) || !r.urgent() && c.deferForCooldown(r))
}

// opensGate reports whether a gang is complete by this change: its Tasks hold processors, and wait for nothing else.
func opensGate(before, after *lifecycle.State) bool {
	return after.Framework().Gate != "" && (before == nil || before.Framework().Gate == "")
}

// completes reports whether the Framework has ended by this change: others may wait for that, and no company is to come.
func completes(before, after *lifecycle.State) bool {
	return after.Framework().State == v1.Completed && (before == nil || before.Framework().State != v1.Completed)
}

// hold puts the round off, so that what is new by then is stored with it. It returns false if rounds have been put off
// for so long already.
func (c *Controller) hold(r *record, most time.Duration) bool {
	now := c.now()
	if r.schedule.heldSince.IsZero() {
		r.schedule.heldSince = now
	}
	left := most - now.Sub(r.schedule.heldSince)
	if left <= 0 {
		return false
	}
	c.queue.AddAfter(r.key, left)
	return true
}

// deferForCooldown puts the round off until the cooldown after the last status write is over, or until an action that was
// held back may be tried again. It returns false if it is over already.
func (c *Controller) deferForCooldown(r *record) bool {
	now := c.now()
	if !now.Before(r.schedule.cooldownUntil) {
		return false
	}
	again := r.schedule.cooldownUntil
	if !r.schedule.retryAt.IsZero() && r.schedule.retryAt.Before(again) {
		again = r.schedule.retryAt
	}
	c.queue.AddAfter(r.key, again.Sub(now))
	return true
}

// cooldownAfter returns how long the cooldown after a status write is that took so long.
func cooldownAfter(took time.Duration) time.Duration {
	return min(cooldownFactor*took, longestCooldown)
}

// next notes what has been seen to, and when to look again.
func (c *Controller) next(r *record, out lifecycle.Output) {
	wasFull := r.schedule.full
	r.schedule.full, r.schedule.changed, r.schedule.failure, r.schedule.over, r.schedule.heldSince = false, nil, false, false, time.Time{}
	if out.State.Framework().State == v1.Completed {
		r.ended.Store(true)
		r.lighten()
	}
	for _, ref := range out.Revisit {
		r.schedule.lookAt(ref)
	}
	if wasFull || !out.WakeAt.IsZero() && out.WakeAt.Before(r.schedule.wakeAt) || r.schedule.wakeAt.IsZero() {
		r.schedule.wakeAt = out.WakeAt
	}
	for _, at := range []time.Time{r.schedule.wakeAt, r.schedule.retryAt} {
		// Asked for in every round: the queue keeps only the earliest time that a key is to be added.
		if !at.IsZero() {
			c.queue.AddAfter(r.key, min(at.Sub(c.now()), longestDelay))
		}
	}
	if out.Again {
		c.queue.Add(r.key)
	}
}

// due reports whether a time that may be unset has come.
func due(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }
