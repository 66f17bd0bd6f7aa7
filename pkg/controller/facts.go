package controller

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// facts is the knowledge about an object's name beyond the cache.
//
// Invariant: there is at most one action on the object under way; while inFlight, none is started.
// Invariant: creation.underWay implies inFlight.
// Invariant: refetching is nil after a read of the object was answered.
type facts struct {
	live       metav1.Object         // from an answer of the API server, and newer than the cache; nil if none is
	deletedUID types.UID             // the last object that is certainly gone; see lifecycle.PodView.Gone
	unwatched  metav1.Object         // the watch no longer shows it; set until it is known to be gone, nil if there is none
	disruption *lifecycle.Disruption // disruption of the last Pod that the watch no longer shows; nil if nobody gave a reason
	refetching metav1.Object         // being looked up as no watch shows it; set until there is an answer, nil if there is none

	deleteRequested types.UID // the last object whose deletion was accepted
	deletionTold    deletionTold
	confirmed       bool // the API server was asked about the name: live is its answer, or nothing has the name
	inFlight        bool // an action on it is under way
	// failedAt is when the last sent action failed for a temporary reason; zero if it did not.
	failedAt time.Time
	creation creation
}

// creation is the outcome of creating an object.
type creation struct {
	underWay bool
	refusal  *lifecycle.Refusal
	refusals refusals
	// pendingUntil is the time until which the object may still be created, or become visible, although its creation failed; zero if
	// it cannot.
	pendingUntil time.Time
}

// creationTakesAtMost is the time for an unanswered creation to take effect and become visible.
const creationTakesAtMost = 5 * time.Second

// unlabelled reports whether the object exists without the label that the watch selects: no event reports its changes.
func (f *facts) unlabelled() bool {
	return f.live != nil && f.live.GetLabels()[v1.KeyFrameworkName] == ""
}

// refetch makes the object be looked up again if no watch shows it.
func (f *facts) refetch() {
	if f.unlabelled() {
		f.live, f.confirmed, f.refetching = nil, false, f.live
	}
}
