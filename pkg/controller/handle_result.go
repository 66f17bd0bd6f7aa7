package controller

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// handleResult records the result of an action, in this order: in the facts about its object, in the schedule of the next
// rounds, in the blockers, and in the reports to users.
func (c *Controller) handleResult(r *record, n result) {
	if n.framework != r.uid {
		return // the result is for an earlier Framework of that name
	}
	if n.probe {
		r.schedule.lookAtAll() // any action may have waited for this answer
	}
	f := r.factsAbout(n.action)
	if !f.inFlight {
		return // nobody waits for it any longer
	}
	now := c.now()
	r.blockers.recordTried(f, n, now)
	f.applyResult(n, now)
	c.reporter.reportDeletion(r, f, n)
	r.applyCompanionResult(n, now)
	c.reader.applyItems(r, n, now)
	r.applyClaimResult(n, now)
	if f.unwatched != nil && n.shows(f.unwatched) {
		c.reporter.history.logUnwatchedPod(r, f)
	}
	f.dropOldAnswer()
	r.lookAfter(n, f, now)
	c.recordOutcome(r, n)
	c.reporter.warnOf(r, n)
}

// applyResult records the answer in the facts about the object.
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
	case lifecycle.KeepClaim:
		f.expect(n, now)
	case lifecycle.ReadConfigMap, lifecycle.ReadPod:
		f.applyRead(n)
	case lifecycle.DeleteConfigMap:
		f.applyDeletion(n, a.UID)
	case lifecycle.DeletePod:
		f.applyDeletion(n, a.UID)
	}
}

// lookAfter schedules a look at the consequences of an action's result.
func (r *record) lookAfter(n result, about *facts, now time.Time) {
	switch n.action.(type) {
	case lifecycle.ReadConfigMap:
		r.schedule.configMapGoes = true // it is looked up only if the watch does not show it
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

// lookAtSubject schedules a look at the object of an action.
func (r *record) lookAtSubject(a lifecycle.Action) {
	if ref, ok := taskOf(a); ok {
		r.schedule.lookAt(ref)
		return
	}
	if ref, ok := taskThatAwaits(a); ok {
		r.schedule.lookAt(ref)
		return
	}
	switch a := a.(type) {
	case lifecycle.DeleteFramework, lifecycle.KeepCompanion, lifecycle.DeleteCompanion: // no Task depends on these
	case lifecycle.DeleteClaim:
		if a.Claim.Per == v1.VolumePerTask { // which the Task may need again
			r.schedule.lookAt(lifecycle.TaskRef{Role: a.Claim.Role, Index: a.Claim.Index})
		}
	case lifecycle.ReadItems: // only news are looked at
	default:
		r.schedule.lookAtAll()
	}
}

// applyCreation: the object exists now, or the API server has refused it, or another object holds its name.
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

// expect records until when the object may come into being without an answer. A creation that was not sent, or was declined,
// for example by a quota, which is checked before the name, says nothing about an earlier unanswered one.
func (f *facts) expect(n result, now time.Time) {
	switch {
	case n.err == nil, errors.Is(n.err, errNameTaken):
		f.creation.pendingUntil = time.Time{}
	case n.undecided():
		f.creation.pendingUntil = now.Add(creationTakesAtMost)
	}
}

// applyRead: the holder of the name is known, even if it is an object that should be gone.
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

// dropOldAnswer makes an object be looked up again if the answer is older than the last version shown by the watch.
func (f *facts) dropOldAnswer() {
	if f.live == nil || f.unwatched == nil || f.live.GetUID() != f.unwatched.GetUID() {
		return
	}
	order, err := resourceversion.CompareResourceVersion(f.live.GetResourceVersion(), f.unwatched.GetResourceVersion())
	if err == nil && order < 0 {
		f.live, f.confirmed = nil, false
	}
}
