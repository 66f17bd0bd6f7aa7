package controller

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
)

// dependents is the knowledge about the ConfigMap and the Pods of the Framework beyond the caches.
//
// Invariant: no round decides about a ConfigMap recorded by another process before configMapConfirmed.
// Invariant: stalls has an entry for a Task only if its Pod had not moved on in the last round that looked at it.
type dependents struct {
	self               facts // about the Framework's own deletion
	configMap          facts
	pods               map[string]*facts                  // by name
	companions         map[lifecycle.Companion]*companion // nil as long as there never was an action on one
	claims             claims                             // of volumes
	configMapConfirmed bool                               // the recorded ConfigMap was asked for before the first round
	releaseAt          time.Time                          // when the ConfigMap may be released again; zero if it may be
	// stalls are the Pods that make no progress, as observed last.
	stalls map[lifecycle.TaskRef]waiting.Stall
}

// pod returns the facts about a Pod's name, created if need be.
func (d *dependents) pod(name string) *facts {
	f := d.pods[name]
	if f == nil {
		f = &facts{}
		if d.pods == nil {
			d.pods = map[string]*facts{} // events may precede the Framework's first read
		}
		d.pods[name] = f
	}
	return f
}

// awaitPods reports whether Pods requested earlier may still be created. Until is the time of the next check; zero if the answer
// to a creation under way triggers it.
func (d *dependents) awaitPods(now time.Time) (awaits bool, until time.Time) {
	for _, f := range d.pods {
		if at := f.creation.pendingUntil; now.Before(at) {
			awaits = true
			if until.IsZero() || at.Before(until) {
				until = at
			}
		}
		awaits = awaits || f.creation.underWay
	}
	return awaits, until
}

// askAgain makes everything be looked up again that no watch covers.
func (d *dependents) askAgain() {
	for _, f := range d.pods {
		f.refetch()
	}
	d.configMap.refetch()
}

// forgetRefusals is called when the spec has changed: the cause of a refusal may have been repaired.
func (d *dependents) forgetRefusals() {
	for _, f := range d.pods {
		f.creation.refusals = refusals{}
	}
}
