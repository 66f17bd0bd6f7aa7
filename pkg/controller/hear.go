package controller

import (
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
			err = panicked(c.log, r.key, cause)
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
			c.reporter.history.tellPodDeleted(r, n.pod)
		}
		r.hearOfObject(n)
		r.schedule.failure, r.schedule.over = r.schedule.failure || n.failed, r.schedule.over || n.over
	case result:
		c.hearOfResult(r, n)
	case answer:
		r.hearAnswer(n)
	case policiesChanged:
		if r.questions.forgetDecision() {
			r.schedule.lookAtAll()
		}
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
