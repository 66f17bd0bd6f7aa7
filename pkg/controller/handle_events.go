package controller

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// handleEvents processes the events since the last round. It returns an error if a bug kept some from being processed.
func (c *Controller) handleEvents(r *record) (err error) {
	r.archive.wanted = c.asker.panel.Archives()
	r.archive.forgetSent()
	for _, e := range r.mailbox.drain() {
		if failed := c.handleGuarded(r, e); err == nil {
			err = failed // the first error; the other events are processed all the same
		}
	}
	return err
}

// handleGuarded confines a bug to the event that triggers it: the other events are not repeated, and among them are results
// without which an object gets no more actions.
func (c *Controller) handleGuarded(r *record, e event) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(c.log, r.key, cause)
			r.schedule.lookAtAll() // whatever the event was about
		}
	}()
	c.handle(r, e)
	return nil
}

func (c *Controller) handle(r *record, e event) {
	switch e := e.(type) {
	case listed:
		// Reading the object shows which one it is.
	case frameworkChanged:
		// Reading the object shows the change.
		if e.deleted == nil {
			return
		}
		if e.deleted.UID == r.uid {
			r.reported.deleted = &e.deleted.ObjectMeta
		}
		if e.deleted.UID != r.uid || r.status.saved == nil {
			c.presence.lookAgain()
		}
	case objectChanged:
		if e.deletedUID != "" {
			c.reporter.history.logPodDeletion(r, e.pod)
		}
		c.handleObject(r, e)
		r.schedule.podFailed, r.schedule.configMapGoes = r.schedule.podFailed || e.podFailed, r.schedule.configMapGoes || e.configMapGoes
	case result:
		c.handleResult(r, e)
	case answer:
		r.handleAnswer(e)
	case hintsChanged:
		r.questions.hints.Changed = true
		r.schedule.lookAtAll()
	case othersChanged:
		// The round looks at them.
	case companionsChanged:
		r.dependents.forgetCompanions()
	case policiesChanged:
		if r.questions.forgetDecision() {
			r.schedule.lookAtAll()
		}
	}
}

func (c *Controller) handleObject(r *record, e objectChanged) {
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
	if r.archive.wanted && e.pod != nil && r.controls(e.pod) {
		r.archive.noteEnd(ref, e.pod, c.options.HistoryEnvironment)
	}
	r.schedule.lookAt(ref)
}

// concerns reports whether a Pod that the watch no longer shows matters: the Task exists, or may exist, as the Framework was
// not read yet, or the Pod belongs to the attempt. Anybody can create and delete any number of others.
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
