package controller

import (
	"slices"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// inherited is an obstacle that the process before has told of.
type inherited struct {
	lifecycle.Obstacle
	at time.Time // when this process took it over
}

// inherit takes what a Framework waits for, as it is stored, for an obstacle until this process knows better. After a
// restart nothing has been tried yet; if the condition went until then, whoever waits for that would be misled, and it
// would be told anew, and as if it had just begun.
func (r *record) inherit(stored *lifecycle.State, now time.Time) {
	if c := waiting(stored); c != nil {
		r.blockers.inherited = &inherited{lifecycle.Obstacle{Reason: c.Reason, Message: c.Message}, now}
	}
}

// disinherit is called when an action was tried: from now on it is known what is in its way.
func (r *record) disinherit(tried lifecycle.Action) {
	if r.inheritedFrom(tried) {
		r.blockers.inherited = nil
	}
}

// disinherited drops what is inherited if it can come from none of the actions that are asked for, and reports whether it
// did. What is seen in the caches, such as Pods that do not get going, comes from none.
func (r *record) disinherited(asked []lifecycle.Action) bool {
	if r.blockers.inherited == nil || !r.schedule.full || slices.ContainsFunc(asked, r.inheritedFrom) || slices.ContainsFunc(asked, r.inheritedFromNext) {
		return false
	}
	r.blockers.inherited = nil
	return true
}

// inheritedFromNext reports whether what is inherited may be told of what is asked for once that question is answered: Pods
// are created after their hints have been prepared.
func (r *record) inheritedFromNext(a lifecycle.Action) bool {
	return isQuestion(a) && topic(a) == "hints" && strings.HasPrefix(r.blockers.inherited.Message, describe(lifecycle.CreatePod{}, ""))
}

// inheritedFrom reports whether what is inherited may be told of that action.
func (r *record) inheritedFrom(a lifecycle.Action) bool {
	switch {
	case r.blockers.inherited == nil:
		return false
	case !isQuestion(a):
		return strings.HasPrefix(r.blockers.inherited.Message, describe(a, r.nameOf(a))+": ")
	}
	switch r.blockers.inherited.Reason {
	case hintsRefused, hintsObjectsFailed, schedulerNotReady:
		return topic(a) == "hints"
	}
	return r.blockers.inherited.Reason == pluginRefused || r.blockers.inherited.Reason == pluginUnavailable
}
