package podview

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// unstarted reports whether a Pod has a node but does not run yet, and none of its init containers runs. A container that was
// restarted repeatedly counts as running only once it lasts; see stallCauseOf.
func unstarted(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodPending && p.Spec.NodeName != "" && p.DeletionTimestamp == nil && runningInit(p) == nil
}

// runningInit returns a running init container on which the others wait; nil if there is none.
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

// trimUnstarted keeps the fields that unstarted reads: whether an init container runs, but not which.
func trimUnstarted(p, out *corev1.Pod) {
	if p.Status.Phase == corev1.PodPending && p.Spec.NodeName != "" && p.DeletionTimestamp == nil && runningInit(p) != nil {
		running := corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
		out.Status.InitContainerStatuses = append(out.Status.InitContainerStatuses, running)
	}
}
