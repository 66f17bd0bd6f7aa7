package podview

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FinalizersOf lists the finalizers that hold an object being deleted; empty if there are none.
func FinalizersOf(o metav1.Object) string {
	if o.GetDeletionTimestamp() == nil {
		return ""
	}
	return words(strings.Join(o.GetFinalizers(), ", "))
}

// trimFinalizers keeps the fields that FinalizersOf reads.
func trimFinalizers(p, out *corev1.Pod) {
	if names := FinalizersOf(p); names != "" {
		out.Finalizers = []string{strings.Clone(names)}
	}
}

// Held reports whether only finalizers keep a Pod, as far as is known.
func Held(o metav1.Object) bool {
	p, isPod := o.(*corev1.Pod)
	return isPod && PodOf(p, true).Held()
}

// Removed reports whether a Pod, as last seen before the watch stopped showing it, is deleted. The API server stores the end
// of the grace period just before it deletes the Pod, and any update in between, for instance of a label, also deletes it.
func Removed(p *corev1.Pod) bool {
	grace := p.DeletionGracePeriodSeconds
	return p.DeletionTimestamp != nil && grace != nil && *grace == 0 && len(p.Finalizers) == 0
}
