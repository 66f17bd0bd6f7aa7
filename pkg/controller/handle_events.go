package controller

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// handleEvents takes in what has happened since the last round. An error means that some could not be, because of a bug.
func (c *Controller) handleEvents(r *record) (err error) {
	for _, e := range r.mailbox.drain() {
		if failed := c.handleGuarded(r, e); err == nil {
			err = failed // the first; the others are taken in all the same
		}
	}
	return err
}

// handleGuarded lets a bug that one event brings to light cost nothing but that: nobody tells of the others again, and
// among them are results without which an object has no more actions.
func (c *Controller) handleGuarded(r *record, e event) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(c.log, r.key, cause)
			r.schedule.lookAtAll() // whatever it was about
		}
	}()
	c.handle(r, e)
	return nil
}

func (c *Controller) handle(r *record, e event) {
	switch e := e.(type) {
	case listed:
		// What it is, is found out by reading.
	case frameworkChanged:
		// What has changed is found out by reading.
		if e.deleted != nil && e.deleted.UID == r.uid {
			r.reported.deleted = &e.deleted.ObjectMeta
		}
	case objectChanged:
		if e.deletedUID != "" {
			c.reporter.history.logPodDeletion(r, e.pod)
		}
		r.handleObject(e)
		r.schedule.podFailed, r.schedule.configMapGoes = r.schedule.podFailed || e.podFailed, r.schedule.configMapGoes || e.configMapGoes
	case result:
		c.handleResult(r, e)
	case answer:
		r.handleAnswer(e)
	case hintsChanged:
		r.questions.hints.Changed = true
		r.schedule.lookAtAll()
	case companionsChanged:
		r.dependents.forgetCompanions()
	case policiesChanged:
		if r.questions.forgetDecision() {
			r.schedule.lookAtAll()
		}
	}
}

func (r *record) handleObject(e objectChanged) {
	if e.kind == configMapKind {
		r.dependents.configMap.applyChange(e)
		r.schedule.lookAtAll()
		return
	}
	role, index, ok := v1.ParsePodName(r.key.Name, e.name)
	if !ok {
		return // carries our label, but cannot be one of ours
	}
	ref := lifecycle.TaskRef{Role: role, Index: index}
	if r.dependents.pods[e.name] != nil || (e.deletedUID != "" || e.unwatched != nil) && r.concerns(ref, e.pod) {
		r.dependents.pod(e.name).applyChange(e)
	}
	r.schedule.lookAt(ref)
}

// concerns reports whether it matters that the watch shows a Pod no longer: the Task exists, or may, as the Framework was not read
// yet, or the Pod is the attempt's. Anybody can make and delete any number of others.
func (r *record) concerns(ref lifecycle.TaskRef, gone *podview.CachedPod) bool {
	return r.stored.version == "" || r.status.hasTask(ref) || gone != nil && r.controls(gone)
}

func (f *facts) applyChange(e objectChanged) {
	if e.deletedUID != "" {
		f.deletedUID, f.unwatched, f.refetching = e.deletedUID, nil, nil
	}
	if e.pod != nil {
		f.disruption = podview.DisruptionOf(&e.pod.Pod)
	}
	if e.unwatched != nil {
		f.confirmed, f.unwatched = false, e.unwatched // it may only have lost its label
		f.refetching = e.unwatched
	}
	if f.live != nil && (f.live.GetUID() == e.deletedUID || e.unwatched != nil && f.live.GetUID() == e.unwatched.GetUID()) {
		f.live = nil
	}
}
