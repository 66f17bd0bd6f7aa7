package podview

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// ready reports whether a Pod that has not ended is ready.
func ready(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// isReady is shared by all trimmed Pods that are ready and have no other condition to keep. Its capacity is its length, so
// that appending to it makes a copy.
var isReady = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}

// trimReady keeps the fields that ready reads.
func trimReady(p, out *corev1.Pod) {
	switch {
	case !ready(p) || ready(out):
	case out.Status.Conditions == nil:
		out.Status.Conditions = isReady
	default:
		out.Status.Conditions = append(out.Status.Conditions, isReady...)
	}
}
