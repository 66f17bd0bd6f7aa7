package controller

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// facts are what is known about an object's name beside what the cache shows.
//
// Invariant: there is at most one action on the object under way; while inFlight, none is started.
// Invariant: creation.underWay implies inFlight.
// Invariant: refetching is nil after a read of the object was answered.
type facts struct {
	live       metav1.Object         // from an answer of the API server, and newer than the cache; nil if none is
	deletedUID types.UID             // of the last object that is gone for certain; see lifecycle.PodView.Gone
	unwatched  metav1.Object         // that the watch shows no more, until it is known to be gone; nil if there is none
	disruption *lifecycle.Disruption // of the last Pod that the watch shows no more; nil if nobody has said why
	refetching metav1.Object         // that is asked for because no watch shows it any more, until there is an answer; nil if none is

	deleteRequested types.UID // of the last object whose deletion was accepted
	deletionTold    deletionTold
	confirmed       bool // the API server was asked what has the name, and its answer is live, or that nothing has
	inFlight        bool // an action on it is under way
	// failedAt is when the last action that was sent has failed for a reason that may pass; zero if it has not.
	failedAt time.Time
	creation creation
}

// creation is what became of creating an object.
type creation struct {
	underWay bool
	refusal  *lifecycle.Refusal
	refusals refusals
	// pendingUntil is until when the object may come into being, or be seen, although its creation failed; zero if it does
	// not.
	pendingUntil time.Time
}

// creationTakesAtMost is how long a creation without an answer is given to take effect and to be seen.
const creationTakesAtMost = 5 * time.Second

// unlabelled reports whether the object exists without the label that the watch selects on: nobody tells of it.
func (f *facts) unlabelled() bool {
	return f.live != nil && f.live.GetLabels()[v1.KeyFrameworkName] == ""
}

// refetch has the object asked for anew if no watch shows it.
func (f *facts) refetch() {
	if f.unlabelled() {
		f.live, f.confirmed, f.refetching = nil, false, f.live
	}
}
