package controller

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

const (
	// coalesce is how long a status change that nothing depends on waits for company (decisions, "Coalescing").
	coalesce = 200 * time.Millisecond
	// After a status write that took d, the next waits cooldownFactor * d, if no action depends on it, and
	// longestCooldown at most. To store a status of 1,000 Tasks costs the API server as much as a dozen Pods do, and it
	// would be at that most of the time while the Pods of such a Framework get to run. This is an exception to
	// coalescing for the sake of the API server (decisions, "Client rate"): a Framework has one status write in flight at
	// most, and here for a quarter of the time at most.
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

// deferBehindActions puts the round off while actions of its Framework have not begun yet, if it may wait. What a user has
// changed does not wait, and neither does the end of a ConfigMap: it may be that nothing of it is wanted any more.
func (c *Controller) deferBehindActions(r *record) bool {
	most := longestQueue
	if r.schedule.podFailed {
		most = longestFailure
	}
	return !r.urgent() && c.performer.pool.Waiting(r.key) && c.deferAtMost(r, most)
}

// urgent reports whether something has happened that may make what is under way unwanted: a changed spec, or a ConfigMap
// that goes.
func (r *record) urgent() bool {
	return r.schedule.configMapGoes || r.status.saved == nil || r.status.saved.Framework().ObservedGeneration != r.framework.Generation
}

// deferWrite puts the round off if all it would do is to store a change that nothing depends on yet. It will be taken
// again, with all that is new by then.
func (c *Controller) deferWrite(r *record, out lifecycle.Output, dependents int) bool {
	return out.State != r.status.saved && !out.Requeue && dependents == 0 &&
		!opensGate(r.status.saved, out.State) && !completes(r.status.saved, out.State) &&
		(c.deferAtMost(r, coalesce) || !r.urgent() && c.deferForCooldown(r))
}

// opensGate reports whether a gang is complete by this change: its Tasks hold processors, and wait for nothing else.
func opensGate(before, after *lifecycle.State) bool {
	return after.Framework().Gate != "" && (before == nil || before.Framework().Gate == "")
}

// completes reports whether the Framework has ended by this change: others may wait for that, and no company is to come.
func completes(before, after *lifecycle.State) bool {
	return after.Framework().State == v1.Completed && (before == nil || before.Framework().State != v1.Completed)
}

// deferAtMost puts the round off, so that what is new by then is stored with it. It returns false if rounds have been
// put off for so long already.
func (c *Controller) deferAtMost(r *record, most time.Duration) bool {
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

// deferForCooldown puts the round off until the cooldown after the last status write is over. It is not put off for
// longer than until an action that was held back may be tried again. It returns false if the cooldown is over already.
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
