package podview

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// hasLogs reports whether a container of a Pod has started, so that there may be a log.
func hasLogs(p *corev1.Pod) bool {
	switch p.Status.Phase {
	case corev1.PodPending:
		return slices.ContainsFunc(p.Status.InitContainerStatuses, started) || slices.ContainsFunc(p.Status.ContainerStatuses, started)
	case corev1.PodFailed:
		return slices.ContainsFunc(p.Status.InitContainerStatuses, terminated) || slices.ContainsFunc(p.Status.ContainerStatuses, terminated)
	}
	return p.Status.Phase != ""
}

// started also holds for a container that waits to be started again.
func started(s corev1.ContainerStatus) bool {
	return s.State.Running != nil || s.State.Terminated != nil || s.LastTerminationState.Terminated != nil
}

func terminated(s corev1.ContainerStatus) bool { return s.State.Terminated != nil }

// trimHasLogs keeps the fields that hasLogs reads of a Pod that has not ended: whether a container has started, but not which. It
// comes after the functions that keep more.
func trimHasLogs(p, out *corev1.Pod) {
	if hasLogs(p) && !hasLogs(out) {
		ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
		out.Status.InitContainerStatuses = append(out.Status.InitContainerStatuses, corev1.ContainerStatus{LastTerminationState: ended})
	}
}
