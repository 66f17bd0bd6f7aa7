package podview

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FinalizersOf names the finalizers that keep an object which terminates; empty if none do.
func FinalizersOf(o metav1.Object) string {
	if o.GetDeletionTimestamp() == nil {
		return ""
	}
	return words(strings.Join(o.GetFinalizers(), ", "))
}

// trimFinalizers keeps what FinalizersOf looks at.
func trimFinalizers(p, out *corev1.Pod) {
	if names := FinalizersOf(p); names != "" {
		out.Finalizers = []string{strings.Clone(names)}
	}
}

// Held reports whether nothing but finalizers keeps a Pod, as far as is known.
func Held(o metav1.Object) bool {
	p, isPod := o.(*corev1.Pod)
	return isPod && PodOf(p, true).Held()
}

// Removed reports whether a Pod, as last seen before a watch showed it no more, is deleted. The API server stores that its
// grace period is over just before it deletes it, and any update that comes between, as one of its labels, deletes it too.
func Removed(p *corev1.Pod) bool {
	grace := p.DeletionGracePeriodSeconds
	return p.DeletionTimestamp != nil && grace != nil && *grace == 0 && len(p.Finalizers) == 0
}
