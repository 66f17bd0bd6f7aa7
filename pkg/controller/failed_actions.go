package controller

import (
	"errors"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// recordOutcome notes that an action fails for a reason that may pass, or that it does not any more.
func (c *Controller) recordOutcome(r *record, n result) {
	if errors.Is(n.err, errHeldBack) {
		if r.restoredFrom(n.action) {
			r.schedule.lookAtAll() // it may not be wanted any more
		}
		return
	}
	r.dropRestored(n.action)
	name := r.nameOf(n.action)
	switch {
	case !n.transient(), errors.Is(n.err, errStillThere):
		delete(r.blockers.failures, name)
	case errors.Is(n.err, errNameTaken) && r.controls(n.object):
		// An earlier attempt's object, or our own of which we were not told: the next round sees to it.
	default:
		before, met := r.blockers.failures[name]
		generation := r.framework.Generation
		r.blockers.failures[name] = failedAction{n.action, n.err, c.now(), generation, met && before.generation != generation}
		c.log.Debug("action failed", "framework", r.key.String(), "action", n.action.String(), "error", n.err)
	}
}

// pruneBlockers forgets what was in the way of actions that are not asked for any more. It looks at no more than this
// round has looked at, and reports whether there was anything.
func (r *record) pruneBlockers(asked []lifecycle.Action) bool {
	pruned := r.pruneRestored(asked)
	before := len(r.blockers.failures) + len(r.questions.waiting)
	if before == 0 {
		return pruned // as in nearly every round
	}
	wanted := make(map[any]bool, len(asked))
	for _, a := range asked {
		wanted[topic(a)] = true
	}
	maps.DeleteFunc(r.blockers.failures, func(_ string, f failedAction) bool { return r.schedule.looksAt(f.action) && !wanted[f.action] })
	maps.DeleteFunc(r.questions.waiting, func(about any, w waitingQuestion) bool { return r.schedule.looksAt(w.question) && !wanted[about] })
	return pruned || len(r.blockers.failures)+len(r.questions.waiting) < before
}

// controls reports whether the Framework controls an object, directly or through its ConfigMap.
func (r *record) controls(o metav1.Object) bool {
	if o == nil {
		return false
	}
	controller := metav1.GetControllerOf(o)
	return controller != nil && (controller.UID == r.uid || controller.UID == r.status.configMapUID())
}
