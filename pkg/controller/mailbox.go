package controller

import (
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// event is one thing that a Framework's next round must take into account.
type event interface{ isEvent() }

type (
	// frameworkChanged: the Framework itself has changed, or was deleted; deleted is nil if it was not.
	frameworkChanged struct{ deleted *metav1.PartialObjectMetadata }

	// listed: the Framework exists, and is due for its first look. Nothing of an attempt is known to exist.
	listed struct{}

	// objectChanged: a ConfigMap or Pod has changed. DeletedUID is set if it was deleted.
	objectChanged struct {
		kind       objectKind
		name       string
		deletedUID types.UID
		unwatched  metav1.Object      // last version of an object that the watch no longer shows; nil if it is certainly gone
		pod        *podview.CachedPod // last version of a Pod that the watch no longer shows; nil otherwise
		// podFailed: it is a Pod that has failed, or is being deleted without having succeeded.
		podFailed bool
		// configMapGoes: it is a ConfigMap that is being deleted, or that the watch no longer shows. If it is gone, its attempt is
		// over.
		configMapGoes bool
	}

	// policiesChanged: the answers of completion policies may have changed.
	policiesChanged struct{}

	// hintsChanged: the scheduler's answer about the attempt may have changed.
	hintsChanged struct{}

	// othersChanged: other Frameworks that this one waits for may have changed, or wait for this one.
	othersChanged struct{}

	// companionsChanged: a companion of the Framework may have changed.
	companionsChanged struct{}
)

func (frameworkChanged) isEvent()  {}
func (listed) isEvent()            {}
func (objectChanged) isEvent()     {}
func (result) isEvent()            {}
func (policiesChanged) isEvent()   {}
func (hintsChanged) isEvent()      {}
func (othersChanged) isEvent()     {}
func (companionsChanged) isEvent() {}

// objectKind is the kind of a dependent.
type objectKind int

const (
	configMapKind objectKind = iota
	podKind
)

// mailbox takes events from anywhere, and hands them to the Framework's round.
type mailbox struct {
	mu     sync.Mutex
	events []event
}

func (b *mailbox) put(e event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if (e == hintsChanged{} || e == companionsChanged{} || e == othersChanged{}) && slices.Contains(b.events, e) {
		return // others may send it faster than rounds come
	}
	b.events = append(b.events, e)
}

// holds reports whether there are events, and whether any of them is more than the first listing.
func (b *mailbox) holds() (anything, more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.events) > 0, slices.ContainsFunc(b.events, func(e event) bool { return e != listed{} })
}

func (b *mailbox) drain() []event {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.events
	b.events = nil
	return taken
}
