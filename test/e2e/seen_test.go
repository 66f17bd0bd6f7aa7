package e2e

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// seenThere has the observations in one namespace.
type seenThere struct {
	skipped bool                   // hidden from the checker
	ever    map[types.UID]bool     // all objects
	alive   map[types.UID]bool     // existing Frameworks, and existing Pods created for one
	pods    map[types.UID]*seenPod // all Pods ever created for a Framework
	count   podCount
	most    int // Pods that were there at a time
}

type seenPod struct {
	name      string
	inherited bool // it existed before the recorder
	gone      bool
}

// podCount counts the Pods that were ever created, and how many of them are gone.
type podCount struct{ created, gone int }

func (n *seenThere) note(o metav1.Object, alive bool) {
	n.ever[o.GetUID()] = true
	if alive {
		n.alive[o.GetUID()] = true
	} else {
		delete(n.alive, o.GetUID())
	}
}

// notePod: a Pod that has lost its label no longer belongs to a Framework.
func (n *seenThere) notePod(p *corev1.Pod, gone, inherited bool) {
	made := p.Labels[v1.KeyFrameworkName] != "" && p.Annotations[v1.KeyFrameworkUID] != ""
	known := n.pods[p.UID]
	if made && known == nil {
		known = &seenPod{name: p.Name, inherited: inherited}
		n.pods[p.UID] = known
		n.count.created++
	}
	gone = gone || !made
	if known != nil && gone && !known.gone {
		known.gone = true
		n.count.gone++
	}
	n.most = max(n.most, n.count.created-n.count.gone)
	n.note(p, !gone)
}

// awaitPods returns the counts of Pods once they are as wanted.
func (s *story) awaitPods(wanted string, is func(podCount) bool) podCount {
	s.t.Helper()
	ctx, cancel := s.patient()
	defer cancel()
	var last podCount
	err := seen.await(ctx, s.namespace, func(n *seenThere) bool {
		last = n.count
		return is(last)
	})
	if err != nil {
		s.t.Fatalf("number of Pods is not %s but %+v: %v", wanted, last, err)
	}
	return last
}

// mostPodsOf returns the largest number of Pods of Frameworks in a namespace that were there at a time.
func (w *recorder) mostPodsOf(namespace string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of(namespace).most
}

// podsOf returns the Pods that were made for Frameworks in a namespace, by their UIDs.
func (w *recorder) podsOf(namespace string) map[types.UID]seenPod {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[types.UID]seenPod{}
	for uid, p := range w.of(namespace).pods {
		out[uid] = *p
	}
	return out
}
