package controller

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// dependents are the ConfigMap and the Pods of the Framework: what is known of them beside what the caches show.
//
// Invariant: no round decides about a ConfigMap that another process has recorded before configMapConfirmed.
// Invariant: stalls has an entry of a Task only if its Pod stayed where it is in the last round that looked at it.
type dependents struct {
	self               facts // about the Framework's own deletion
	configMap          facts
	pods               map[string]*facts                  // by name
	companions         map[lifecycle.Companion]*companion // nil as long as there never was an action on one
	configMapConfirmed bool                               // the recorded ConfigMap was asked for before the first round
	releaseAt          time.Time                          // when the ConfigMap may be released again; zero if it may be
	// stalls are the Pods that make no progress, as observed last.
	stalls map[lifecycle.TaskRef]lifecycle.Stall
}

// pod returns the facts about a Pod's name, made if need be.
func (d *dependents) pod(name string) *facts {
	f := d.pods[name]
	if f == nil {
		f = &facts{}
		if d.pods == nil {
			d.pods = map[string]*facts{} // events of a Framework that is not known yet
		}
		d.pods[name] = f
	}
	return f
}

// awaitPods reports whether Pods may still come into being that were asked for before. Until is when the question is to
// come up again; zero if the answer to a creation that is under way brings it up.
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

// askAgain has everything looked for anew that no watch tells of.
func (d *dependents) askAgain() {
	for _, f := range d.pods {
		f.refetch()
	}
	d.configMap.refetch()
}

// forgetRefusals is for a spec that has changed: what was refused may have been repaired.
func (d *dependents) forgetRefusals() {
	for _, f := range d.pods {
		f.creation.refusals = refusals{}
	}
}
