package controller

import (
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

const (
	// coalesce is how long a status change waits for company if nothing depends on it (decisions, "Coalescing").
	coalesce = 200 * time.Millisecond
	// After a status write that took d, the next write that no action depends on waits cooldownFactor * d, but at most
	// longestCooldown. Storing a status of 1,000 Tasks costs the API server as much as a dozen Pods, and it would do so most of
	// the time while the Pods of such a Framework start. This is an exception to coalescing for the sake of the API server
	// (decisions, "Client rate"): a Framework has at most one status write in flight, and here for at most a quarter of the time.
	cooldownFactor  = 3
	longestCooldown = time.Second
	// endingFactor multiplies the cooldown while an attempt ends: its result is known, nothing depends on which of its Pods are
	// gone, and successors wait for the API server to delete them.
	endingFactor = 5
)

// deferBehindActions defers the round while actions of its Framework have not started, if it may wait. Changes by users do not
// wait, and neither does the end of a ConfigMap: the actions may no longer be wanted. After a failure of a Pod the wait is
// shorter, as it may end the attempt, but it is not zero, as many Pods may fail together.
//
// Actions of this round would only queue behind the others. Without this, 200 Pods cost about twice as many bytes of status
// writes.
func (c *Controller) deferBehindActions(r *record) bool {
	most := flowcontrol.MaxDelay
	if r.schedule.podFailed {
		most = longestCooldown
	}
	return !r.urgent() && c.performer.pool.Waiting(r.key) && c.deferUntil(r, r.schedule.hold(c.now()).Add(most))
}

// deferBehindRound defers the round after one whose write was deferred, in proportion to the duration of that one: it would look
// at the same Tasks again. Without this, while 1,000 Pods are deleted, each has a round that looks at all Pods deleted before it.
func (c *Controller) deferBehindRound(r *record) bool {
	return !r.urgent() && c.deferUntil(r, r.schedule.resumeAt)
}

// startRoundCooldown starts the time for which the next round is deferred. This one started at start, and its write was
// deferred.
func (c *Controller) startRoundCooldown(r *record, start time.Time) {
	now := c.now()
	r.schedule.resumeAt = now.Add(cooldownAfter(now.Sub(start), ending(r.status.saved)))
}

// urgent reports whether an event may make the actions under way obsolete: a changed spec, or a ConfigMap that is being deleted.
func (r *record) urgent() bool {
	return r.schedule.configMapGoes || r.status.saved == nil || r.status.saved.Framework().ObservedGeneration != r.framework.Generation
}

// deferWrite defers the round if nothing depends yet on the change that it would store, or if the change is of a large array in its
// cooldown, or if large statuses have used up the storage. The change is decided again later, together with newer ones.
func (c *Controller) deferWrite(r *record, out lifecycle.Output, dependents int) bool {
	if out.State == r.status.saved || opensGate(r.status.saved, out.State) || opensRole(r.status.saved, out.State) || ends(r.status.saved, out.State) {
		return false
	}
	if !out.Requeue && dependents == 0 {
		return c.deferUntil(r, r.writeDue(c.now()))
	}
	due := r.schedule.storageUntil
	if r.isLargeArray() {
		due = r.schedule.cooldownUntil
	}
	return !r.urgent() && c.deferUntil(r, due)
}

// writeDue returns when to store a change that nothing depends on: when it has waited for company, and the cooldown is over,
// but no later than the next retry of a held-back action.
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

// isLargeArray reports whether Tasks take turns in a status that is large enough to be compressed. There even a change that something
// depends on waits for the cooldown: a write costs as much as dozens of Pods, and Tasks of a second would cause one for every other Task.
func (r *record) isLargeArray() bool {
	return r.status.encoder.Size() > statusjson.PlainBytes &&
		slices.ContainsFunc(r.framework.Spec.TaskRoles, func(role v1.TaskRoleSpec) bool { return role.Parallelism != nil })
}

// opensGate reports whether this change completes a gang: its Tasks hold processors, and wait for nothing else.
func opensGate(before, after *lifecycle.State) bool {
	return after.Framework().Gate != "" && (before == nil || before.Framework().Gate == "")
}

// opensRole reports whether this change lets a role start, or its Pods be created.
func opensRole(before, after *lifecycle.State) bool {
	gates := after.Framework().Gates
	return gates != nil && (before == nil || before.Framework().Gates == nil || before.Framework().Gates.Revision != gates.Revision)
}

// ends reports whether this change ends the Framework or its attempt: others may wait for that, and no further changes are
// expected.
func ends(before, after *lifecycle.State) bool {
	state := after.Framework().State
	return (state == v1.Completed || state == v1.AttemptCompleted) && (before == nil || before.Framework().State != state)
}

// deferUntil defers the round, so that later changes are stored with it. It returns false if the time has come.
func (c *Controller) deferUntil(r *record, due time.Time) bool {
	now := c.now()
	if !now.Before(due) {
		return false
	}
	c.queue.AddAfter(r.key, due.Sub(now))
	return true
}

// cooldownAfter returns the cooldown after a status write, or a round with a deferred write, of this duration.
func cooldownAfter(took time.Duration, ending bool) time.Duration {
	cooldown := min(cooldownFactor*took, longestCooldown)
	if ending {
		cooldown *= endingFactor
	}
	return cooldown
}

// ending reports whether an attempt is decided but not over. Without a status there is none.
func ending(s *lifecycle.State) bool {
	if s == nil {
		return false
	}
	f := s.Framework()
	return f.AttemptStatus.CompletionStatus != nil && f.State != v1.AttemptCompleted && f.State != v1.Completed
}
