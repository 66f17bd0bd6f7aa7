package controller

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// hear takes in the news since the last round. An error means that some could not be, because of a bug.
func (c *Controller) hear(r *record) (err error) {
	for _, n := range r.inbox.take() {
		err = firstError(err, c.hearGuarded(r, n))
	}
	return err
}

// hearGuarded lets a bug that one piece of news brings to light cost nothing but that: nobody tells the others again, and
// among them are results without which an object has no more actions.
func (c *Controller) hearGuarded(r *record, n news) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = c.panicked(r.key, cause)
			r.schedule.lookAtAll() // whatever it was about
		}
	}()
	c.hearNews(r, n)
	return nil
}

func (c *Controller) hearNews(r *record, n news) {
	switch n := n.(type) {
	case listed:
		// What it is, is found out by reading.
	case frameworkNews:
		// What has changed is found out by reading.
		if n.deleted != nil && n.deleted.UID == r.uid {
			r.reported.deleted = &n.deleted.ObjectMeta
		}
	case objectNews:
		if n.gone != "" {
			c.tellPodDeleted(r, n.pod)
		}
		r.hearOfObject(n)
		r.schedule.failure, r.schedule.over = r.schedule.failure || n.failed, r.schedule.over || n.over
	case result:
		c.hearOfResult(r, n)
	case answer:
		c.hearAnswer(r, n)
	case policiesChanged:
		r.forgetDecision()
	}
}

func (r *record) hearOfObject(n objectNews) {
	if n.kind == configMapKind {
		r.dependents.configMap.hear(n)
		r.schedule.lookAtAll()
		return
	}
	role, index, ok := v1.ParsePodName(r.key.Name, n.name)
	if !ok {
		return // carries our label, but cannot be one of ours
	}
	if n.gone != "" || n.left != nil || r.dependents.pods[n.name] != nil {
		r.dependents.pod(n.name).hear(n)
	}
	r.schedule.lookAt(lifecycle.TaskRef{Role: role, Index: index})
}

func (f *facts) hear(n objectNews) {
	if n.gone != "" {
		f.gone, f.left, f.doubted = n.gone, nil, nil
	}
	if n.pod != nil {
		f.disruption = disruptionOf(&n.pod.Pod)
	}
	if n.left != nil {
		f.asked, f.left = false, n.left // it may only have lost its label
		f.doubted = n.left
	}
	if f.live != nil && (f.live.GetUID() == n.gone || n.left != nil && f.live.GetUID() == n.left.GetUID()) {
		f.live = nil
	}
}

// hearOfResult enters what became of an action into the facts about its object, and has the object looked at.
func (c *Controller) hearOfResult(r *record, n result) {
	if n.framework != r.uid {
		return // that had the name before
	}
	if n.probe {
		r.schedule.lookAtAll() // whatever has waited for its answer
	}
	f, look := r.subject(n.action)
	if !f.inFlight {
		return // nobody waits for it any more
	}
	f.inFlight, f.creation.underWay = false, false
	r.hearOfTry(f, n, c.now())
	if n.gone != "" {
		f.gone = n.gone
	}
	switch a := n.action.(type) {
	case lifecycle.CreateConfigMap, lifecycle.CreatePod:
		f.hearOfCreation(n)
		f.creation.refusals.hear(n, c.now())
		f.expect(n, c.now())
	case lifecycle.ReadConfigMap:
		f.hearOfRead(n)
		r.schedule.over = true // it is asked for only if the watch does not show it
	case lifecycle.ReadPod:
		f.hearOfRead(n)
	case lifecycle.DeleteConfigMap:
		f.hearOfDeletion(n, a.UID)
		if errors.Is(n.err, errOwnsPods) {
			r.dependents.releaseAt = c.now().Add(releasePause)
		}
	case lifecycle.DeletePod:
		f.hearOfDeletion(n, a.UID)
	case lifecycle.DeleteFramework:
		r.stored.unread = r.stored.unread || n.err == nil // only the object itself shows that it is being deleted
	}
	if f.left != nil && n.shows(f.left) {
		c.tellPodLeft(r, f)
	}
	f.dropOldAnswer()
	if f.unwatched() {
		r.schedule.retryNotAfter(c.now().Add(mostDelay))
	}
	c.weigh(r, n)
	c.warnOf(r, n)
	look()
}

// shows reports whether a result about its name shows that an object has gone.
func (n result) shows(gone metav1.Object) bool {
	_, read := n.action.(lifecycle.ReadPod)
	missing := read && n.err == nil && n.object == nil
	return missing || n.gone == gone.GetUID() || n.object != nil && n.object.GetUID() != gone.GetUID()
}

// dropOldAnswer has an object asked for again if the answer that shows it was on its way when it left the watch.
func (f *facts) dropOldAnswer() {
	if f.live == nil || f.left == nil || f.live.GetUID() != f.left.GetUID() {
		return
	}
	order, err := resourceversion.CompareResourceVersion(f.live.GetResourceVersion(), f.left.GetResourceVersion())
	if err == nil && order < 0 {
		f.live, f.asked = nil, false
	}
}

// subject returns the facts about the object of an action, and how to have it looked at.
func (r *record) subject(a lifecycle.Action) (f *facts, look func()) {
	if ref, ok := taskOf(a); ok {
		return r.dependents.pod(r.podName(ref)), func() { r.schedule.lookAt(ref) }
	}
	if _, ok := a.(lifecycle.DeleteFramework); ok {
		return &r.dependents.self, func() {}
	}
	return &r.dependents.configMap, r.schedule.lookAtAll
}

// taskOf returns the Task whose Pod an action is about; ok is false if it is about something else.
func taskOf(a lifecycle.Action) (ref lifecycle.TaskRef, ok bool) {
	switch a := a.(type) {
	case lifecycle.CreatePod:
		return a.Task, true
	case lifecycle.DeletePod:
		return a.Task, true
	case lifecycle.ReadPod:
		return a.Task, true
	case lifecycle.ClassifyPod:
		return a.Task, true
	}
	return lifecycle.TaskRef{}, false
}

// hearOfCreation: the object exists now, or the API server has refused it, or another one holds its name.
func (f *facts) hearOfCreation(n result) {
	var refused *refusedError
	switch {
	case n.err == nil:
		f.live = n.object
	case errors.As(n.err, &refused):
		f.creation.refusal = &refused.refusal
	case errors.Is(n.err, errNameTaken):
		f.live, f.asked = n.object, true
	}
}

// expect notes until when the object may come into being although nobody was told so. That a creation was not sent, or
// was declined, as for a quota that is looked at before the name, says nothing about an earlier one without an answer.
func (f *facts) expect(n result, now time.Time) {
	switch {
	case n.err == nil, errors.Is(n.err, errNameTaken):
		f.creation.mayAppear = time.Time{}
	case n.undecided():
		f.creation.mayAppear = now.Add(lateEffect)
	}
}

// hearOfRead: what holds the name is known, also if it is what ought to have gone.
func (f *facts) hearOfRead(n result) {
	if n.err == nil || errors.Is(n.err, errStillThere) {
		f.live, f.asked, f.doubted = n.object, true, nil
	}
}

func (f *facts) hearOfDeletion(n result, uid types.UID) {
	if n.err == nil && n.gone == "" {
		f.deleteRequested = uid
	}
}
