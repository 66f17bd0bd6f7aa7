package controller

import (
	"slices"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// restore takes what a Framework waits for, as it is stored, for true until this process knows better. After a
// restart nothing has been tried yet; if the condition went until then, whoever waits for that would be misled, and it
// would be told anew, and as if it had just begun.
func (b *blockers) restore(stored *lifecycle.State, now time.Time) {
	if c := waiting(stored); c != nil {
		b.restored = &restoredBlocker{lifecycle.Blocker{Reason: c.Reason, Message: c.Message}, now}
	}
}

// dropRestored is called when an action was tried: from now on it is known what is in its way.
func (r *record) dropRestored(tried lifecycle.Action) {
	if r.restoredFrom(tried) {
		r.blockers.restored = nil
	}
}

// pruneRestored drops what is restored if none of the actions that are asked for can be its cause. It reports whether it
// did. What is seen in the caches, such as Pods that do not get going, comes from none.
func (r *record) pruneRestored(asked []lifecycle.Action) bool {
	if r.blockers.restored == nil || !r.schedule.full || slices.ContainsFunc(asked, r.restoredFrom) || slices.ContainsFunc(asked, r.restoredFromNext) {
		return false
	}
	r.blockers.restored = nil
	return true
}

// restoredFromNext reports whether what is restored may be told of what is asked for once that question is answered: Pods
// are created after their hints have been prepared.
func (r *record) restoredFromNext(a lifecycle.Action) bool {
	return isQuestion(a) && topic(a) == "hints" && strings.HasPrefix(r.blockers.restored.Message, describe(lifecycle.CreatePod{}, ""))
}

// restoredFrom reports whether what is restored may be told of that action.
func (r *record) restoredFrom(a lifecycle.Action) bool {
	switch {
	case r.blockers.restored == nil:
		return false
	case !isQuestion(a):
		return strings.HasPrefix(r.blockers.restored.Message, describe(a, r.nameOf(a))+": ")
	}
	switch r.blockers.restored.Reason {
	case hintsRefused, hintsObjectsFailed, schedulerNotReady:
		return topic(a) == "hints"
	}
	return r.blockers.restored.Reason == pluginRefused || r.blockers.restored.Reason == pluginUnavailable
}
