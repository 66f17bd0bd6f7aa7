package podview

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// unstarted reports whether a Pod has a node, and does not run yet, though none of its init containers runs. One that was
// started again and again does not count as one that runs until it lasts; see stallCauseOf, which says when.
func unstarted(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodPending && p.Spec.NodeName != "" && p.DeletionTimestamp == nil && runningInit(p) == nil
}

// runningInit returns an init container that runs, and that the others wait for; nil if there is none.
func runningInit(p *corev1.Pod) *corev1.ContainerStatus {
	sidecars := restartableInits(p)
	i := slices.IndexFunc(p.Status.InitContainerStatuses, func(s corev1.ContainerStatus) bool {
		return s.State.Running != nil && !sidecars[s.Name] && causeInContainer(&s) == nil
	})
	if i < 0 {
		return nil
	}
	return &p.Status.InitContainerStatuses[i]
}

// trimUnstarted keeps what unstarted looks at: that an init container runs, and not which.
func trimUnstarted(p, out *corev1.Pod) {
	if p.Status.Phase == corev1.PodPending && p.Spec.NodeName != "" && p.DeletionTimestamp == nil && runningInit(p) != nil {
		running := corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
		out.Status.InitContainerStatuses = append(out.Status.InitContainerStatuses, running)
	}
}
