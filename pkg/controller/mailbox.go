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
	// frameworkChanged: the Framework itself has changed, or was deleted; nil if it was not.
	frameworkChanged struct{ deleted *metav1.PartialObjectMetadata }

	// listed: the Framework is there, and is to be looked at for the first time. Nothing of an attempt is known to exist.
	listed struct{}

	// objectChanged: a ConfigMap or Pod has changed. DeletedUID is of one that was deleted, empty if none was.
	objectChanged struct {
		kind       objectKind
		name       string
		deletedUID types.UID
		unwatched  metav1.Object      // that the watch does not show any more, as it was then; nil if it is gone for certain
		pod        *podview.CachedPod // that the watch does not show any more, as it was then; nil if it does
		// podFailed: it is a Pod that has failed, or goes without having succeeded.
		podFailed bool
		// configMapGoes: it is a ConfigMap that terminates, or that the watch shows no more. Its attempt is over, if it
		// has gone.
		configMapGoes bool
	}

	// policiesChanged: a decision may be another one now.
	policiesChanged struct{}

	// hintsChanged: a scheduler may say something else by now about the attempt.
	hintsChanged struct{}

	// companionsChanged: a companion of the Framework may not be any more what it was.
	companionsChanged struct{}
)

func (frameworkChanged) isEvent()  {}
func (listed) isEvent()            {}
func (objectChanged) isEvent()     {}
func (result) isEvent()            {}
func (policiesChanged) isEvent()   {}
func (hintsChanged) isEvent()      {}
func (companionsChanged) isEvent() {}

// objectKind is what a Framework's dependents are.
type objectKind int

const (
	configMapKind objectKind = iota
	podKind
)

// mailbox takes events from anywhere, and gives them to the Framework's round.
type mailbox struct {
	mu     sync.Mutex
	events []event
}

func (b *mailbox) put(e event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if (e == hintsChanged{} || e == companionsChanged{}) && slices.Contains(b.events, e) {
		return // others may have it told faster than rounds come
	}
	b.events = append(b.events, e)
}

// holds reports whether there is something new, and whether any of it is more than that the Framework is there.
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
