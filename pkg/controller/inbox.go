package controller

import (
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// news is one thing that a Framework's next round must take into account.
type news interface{ news() }

type (
	// frameworkNews: the Framework itself has changed, or was deleted; nil if it was not.
	frameworkNews struct{ deleted *metav1.PartialObjectMetadata }

	// listed: the Framework is there, and is to be looked at for the first time. Nothing of an attempt is known to exist.
	listed struct{}

	// objectNews: a ConfigMap or Pod has changed. Gone is the UID of one that was deleted, empty if none was.
	objectNews struct {
		kind objectKind
		name string
		gone types.UID
		left metav1.Object // that the watch does not show any more, as it was then; nil if it is gone for certain
		pod  *cachedPod    // that the watch does not show any more, as it was then; nil if it does
		// failed: it is a Pod that has failed, or goes without having succeeded.
		failed bool
		// over: it is a ConfigMap that terminates, or that the watch shows no more. Its attempt is over, if it has gone.
		over bool
	}

	// policiesChanged: a decision may be another one now.
	policiesChanged struct{}
)

func (frameworkNews) news()   {}
func (listed) news()          {}
func (objectNews) news()      {}
func (result) news()          {}
func (policiesChanged) news() {}

// objectKind is what a Framework's dependents are.
type objectKind int

const (
	configMapKind objectKind = iota
	podKind
)

// inbox takes news from anywhere, and gives it to the Framework's round.
type inbox struct {
	mu   sync.Mutex
	news []news
}

func (b *inbox) put(n news) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.news = append(b.news, n)
}

// holds reports whether there is something new, and whether any of it is more than that the Framework is there.
func (b *inbox) holds() (anything, more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.news) > 0, slices.ContainsFunc(b.news, func(n news) bool { return n != listed{} })
}

func (b *inbox) take() []news {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.news
	b.news = nil
	return taken
}
