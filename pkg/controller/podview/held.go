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
