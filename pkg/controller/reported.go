package controller

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// reported is what users, the history and the counts know of the Framework, and what they are still to be told.
//
// Invariant: early grows only before the Framework is read, and is empty in a round that decides.
// Invariant: logged is nil after a round that was completed: what was dropped then is not decided again.
type reported struct {
	warned  warned               // what its users have been told already
	logged  map[dropped]bool     // what the history has since a status was stored last
	early   []*podview.CachedPod // Pods that went before the Framework was read, for the history
	deleted *metav1.ObjectMeta   // of the Framework, when its deletion was watched; nil before
	gone    bool                 // the watch shows the Framework no more, which has been told
	// podsGoneSince is since when the watch shows no Pod of a Framework that is gone; zero if it shows one, or was not
	// looked at.
	podsGoneSince time.Time
	counted       counts.Counted
	deletions     []reason.Deleted // that the next round tells users of, each with another reason; at most mostDeletions
}

// dropped is something stored that the next state does not hold any more. The zero value is the Framework itself.
type dropped struct {
	row      string            // of the move that drops it
	task     lifecycle.TaskRef // empty for an attempt of the Framework
	instance string            // UID of the Task
	attempt  int32
}

// isFirstReport notes that the history has something, and reports whether it did not since a status was stored last.
// While the storage takes nothing, the same is decided in every round, for hours maybe.
func (p *reported) isFirstReport(d dropped) bool {
	if p.logged[d] {
		return false
	}
	if p.logged == nil {
		p.logged = map[dropped]bool{}
	}
	p.logged[d] = true
	return true
}
