package controller

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// finalizersOf names the finalizers that keep an object which terminates; empty if none do.
func finalizersOf(o metav1.Object) string {
	if o.GetDeletionTimestamp() == nil {
		return ""
	}
	return words(strings.Join(o.GetFinalizers(), ", "))
}

// trimFinalizers keeps what finalizersOf looks at.
func trimFinalizers(p, out *corev1.Pod) {
	if names := finalizersOf(p); names != "" {
		out.Finalizers = []string{strings.Clone(names)}
	}
}

// held reports whether nothing but finalizers keeps a Pod, as far as is known.
func held(o metav1.Object) bool {
	p, isPod := o.(*corev1.Pod)
	return isPod && podOf(p, true).Held()
}

// showsHeld reports whether the cache shows that a Pod is held. What it shows of that does not change any more.
func (w *watches) showsHeld(p *metav1.ObjectMeta) bool {
	shown := w.pod(p.Namespace, p.Name)
	return shown != nil && shown.GetUID() == p.UID && held(shown)
}
