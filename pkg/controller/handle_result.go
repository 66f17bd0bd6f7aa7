package controller

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// handleResult enters what became of an action, in this order: into the facts about its object, into what the next rounds
// look at, into what is in the way of actions, and into what users are told.
func (c *Controller) handleResult(r *record, n result) {
	if n.framework != r.uid {
		return // that had the name before
	}
	if n.probe {
		r.schedule.lookAtAll() // whatever has waited for its answer
	}
	f := r.factsAbout(n.action)
	if !f.inFlight {
		return // nobody waits for it any more
	}
	now := c.now()
	r.blockers.recordTried(f, n, now)
	f.applyResult(n, now)
	c.reporter.reportDeletion(r, f, n)
	r.applyCompanionResult(n, now)
	if f.unwatched != nil && n.shows(f.unwatched) {
		c.reporter.history.logUnwatchedPod(r, f)
	}
	f.dropOldAnswer()
	r.lookAfter(n, f, now)
	c.recordOutcome(r, n)
	c.reporter.warnOf(r, n)
}

// applyResult enters what an answer says about the object.
func (f *facts) applyResult(n result, now time.Time) {
	f.inFlight, f.creation.underWay = false, false
	if n.deletedUID != "" {
		f.deletedUID = n.deletedUID
	}
	switch a := n.action.(type) {
	case lifecycle.CreateConfigMap, lifecycle.CreatePod:
		f.applyCreation(n)
		f.creation.refusals.record(n, now)
		f.expect(n, now)
	case lifecycle.ReadConfigMap, lifecycle.ReadPod:
		f.applyRead(n)
	case lifecycle.DeleteConfigMap:
		f.applyDeletion(n, a.UID)
	case lifecycle.DeletePod:
		f.applyDeletion(n, a.UID)
	}
}

// lookAfter has looked at what the result of an action, about that object, leads to.
func (r *record) lookAfter(n result, about *facts, now time.Time) {
	switch n.action.(type) {
	case lifecycle.ReadConfigMap:
		r.schedule.configMapGoes = true // it is asked for only if the watch does not show it
	case lifecycle.DeleteConfigMap:
		if errors.Is(n.err, errOwnsPods) {
			r.dependents.releaseAt = now.Add(releasePause)
		}
	case lifecycle.DeleteFramework:
		r.stored.unread = r.stored.unread || n.err == nil // only the object itself shows that it is being deleted
	}
	if about.unlabelled() {
		r.schedule.retryNotAfter(now.Add(flowcontrol.MaxDelay))
	}
	r.lookAtSubject(n.action)
}

// lookAtSubject has the object of an action looked at.
func (r *record) lookAtSubject(a lifecycle.Action) {
	if ref, ok := taskOf(a); ok {
		r.schedule.lookAt(ref)
		return
	}
	switch a.(type) {
	case lifecycle.DeleteFramework, lifecycle.KeepCompanion, lifecycle.DeleteCompanion: // no Task depends on these
	default:
		r.schedule.lookAtAll()
	}
}

// applyCreation: the object exists now, or the API server has refused it, or another one holds its name.
func (f *facts) applyCreation(n result) {
	var refused *refusedError
	switch {
	case n.err == nil:
		f.live = n.object
	case errors.As(n.err, &refused):
		f.creation.refusal = &refused.refusal
	case errors.Is(n.err, errNameTaken):
		f.live, f.confirmed = n.object, true
	}
}

// expect notes until when the object may come into being although nobody was told so. That a creation was not sent, or
// was declined, as for a quota that is looked at before the name, says nothing about an earlier one without an answer.
func (f *facts) expect(n result, now time.Time) {
	switch {
	case n.err == nil, errors.Is(n.err, errNameTaken):
		f.creation.pendingUntil = time.Time{}
	case n.undecided():
		f.creation.pendingUntil = now.Add(creationTakesAtMost)
	}
}

// applyRead: what holds the name is known, also if it is what ought to have gone.
func (f *facts) applyRead(n result) {
	if n.err == nil || errors.Is(n.err, errStillThere) {
		f.live, f.confirmed, f.refetching = n.object, true, nil
	}
}

func (f *facts) applyDeletion(n result, uid types.UID) {
	if n.err == nil && n.deletedUID == "" {
		f.deleteRequested = uid
	}
}

// dropOldAnswer has an object asked for again if the answer is older than what the watch has shown last.
func (f *facts) dropOldAnswer() {
	if f.live == nil || f.unwatched == nil || f.live.GetUID() != f.unwatched.GetUID() {
		return
	}
	order, err := resourceversion.CompareResourceVersion(f.live.GetResourceVersion(), f.unwatched.GetResourceVersion())
	if err == nil && order < 0 {
		f.live, f.confirmed = nil, false
	}
}
