package controller

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
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
	// endingFactor is how many times as long the cooldown is while an attempt ends: it is known how, nothing depends on which
	// of its Pods have gone, and who wants to run in their place waits for the API server to delete them.
	endingFactor = 5
)

// deferBehindActions puts the round off while actions of its Framework have not begun yet, if it may wait. What a user has
// changed does not wait, and neither does the end of a ConfigMap: it may be that nothing of it is wanted any more. After a
// failure of a Pod the round waits for less, as the attempt may end by that; not for nothing, as many may fail together.
//
// What the round would ask for would only queue behind the others. Without this, 200 Pods cost about twice as many bytes
// of status writes.
func (c *Controller) deferBehindActions(r *record) bool {
	most := flowcontrol.MaxDelay
	if r.schedule.podFailed {
		most = longestCooldown
	}
	return !r.urgent() && c.performer.pool.Waiting(r.key) && c.deferUntil(r, r.schedule.hold(c.now()).Add(most))
}

// deferBehindRound puts the round off for a while after one whose write was put off, in proportion to how long that took: it
// looks at all that the other one has looked at, too. Without this, while 1,000 Pods go, each has a round that looks at those
// that have gone before it.
func (c *Controller) deferBehindRound(r *record) bool {
	return !r.urgent() && c.deferUntil(r, r.schedule.resumeAt)
}

// startRoundCooldown begins the time for which the next round is put off. This one began at start, and its write was put off.
func (c *Controller) startRoundCooldown(r *record, start time.Time) {
	now := c.now()
	r.schedule.resumeAt = now.Add(cooldownAfter(now.Sub(start), ending(r.status.saved)))
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
		!opensGate(r.status.saved, out.State) && !opensRole(r.status.saved, out.State) && !ends(r.status.saved, out.State) &&
		c.deferUntil(r, r.writeDue(c.now()))
}

// writeDue returns when a change is to be stored that nothing depends on: when it has waited for company, and the cooldown
// is over. That does not make it wait for longer than until an action that was held back may be tried again.
func (r *record) writeDue(now time.Time) time.Time {
	s := &r.schedule
	due := s.hold(now).Add(coalesce)
	switch {
	case r.urgent():
		return due
	case !s.retryAt.IsZero() && s.retryAt.Before(s.cooldownUntil):
		return later(due, s.retryAt)
	}
	return later(due, s.cooldownUntil)
}

// opensGate reports whether a gang is complete by this change: its Tasks hold processors, and wait for nothing else.
func opensGate(before, after *lifecycle.State) bool {
	return after.Framework().Gate != "" && (before == nil || before.Framework().Gate == "")
}

// opensRole reports whether a role may start by this change, or its Pods may be created.
func opensRole(before, after *lifecycle.State) bool {
	gates := after.Framework().Gates
	return gates != nil && (before == nil || before.Framework().Gates == nil || before.Framework().Gates.Revision != gates.Revision)
}

// ends reports whether the Framework, or its attempt, has ended by this change: others may wait for that, and no company is to
// come.
func ends(before, after *lifecycle.State) bool {
	state := after.Framework().State
	return (state == v1.Completed || state == v1.AttemptCompleted) && (before == nil || before.Framework().State != state)
}

// deferUntil puts the round off, so that what is new by then is stored with it. It returns false if that time has come.
func (c *Controller) deferUntil(r *record, due time.Time) bool {
	now := c.now()
	if !now.Before(due) {
		return false
	}
	c.queue.AddAfter(r.key, due.Sub(now))
	return true
}

// cooldownAfter returns how long the cooldown is after a status write, or after a round whose write was put off, that took so
// long.
func cooldownAfter(took time.Duration, ending bool) time.Duration {
	cooldown := min(cooldownFactor*took, longestCooldown)
	if ending {
		cooldown *= endingFactor
	}
	return cooldown
}

// ending reports whether an attempt is decided, and not over. Without a status there is none.
func ending(s *lifecycle.State) bool {
	if s == nil {
		return false
	}
	f := s.Framework()
	return f.AttemptStatus.CompletionStatus != nil && f.State != v1.AttemptCompleted && f.State != v1.Completed
}
