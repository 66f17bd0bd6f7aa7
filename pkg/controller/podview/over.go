package podview

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// overAs returns how a Pod is over whose completion containers have all ended, whatever else runs in it; empty if it is not, or
// names none. A container that the kubelet may start again has not ended, and so such names count with restartPolicy Never
// only.
func overAs(p *corev1.Pod) lifecycle.PodPhase {
	names := objects.CompletionContainers(p)
	if len(names) == 0 || p.Spec.RestartPolicy != corev1.RestartPolicyNever {
		return ""
	}
	phase := lifecycle.PodSucceeded
	for _, name := range names {
		i := slices.IndexFunc(p.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == name })
		if i < 0 || p.Status.ContainerStatuses[i].State.Terminated == nil {
			return ""
		}
		if p.Status.ContainerStatuses[i].State.Terminated.ExitCode != 0 {
			phase = lifecycle.PodFailed
		}
	}
	return phase
}

// namesContainers reports whether a Pod names completion containers that it has.
func namesContainers(p *corev1.Pod) bool {
	names := objects.CompletionContainers(p)
	return p.Spec.RestartPolicy == corev1.RestartPolicyNever && slices.ContainsFunc(p.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool {
		return slices.Contains(names, s.Name)
	})
}

// Failed reports whether a Pod has failed, as its phase or its completion containers say.
func Failed(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodFailed || overAs(p) == lifecycle.PodFailed
}

// judged returns the app containers that the outcome of a Pod is about.
func judged(p *corev1.Pod) []corev1.ContainerStatus {
	if overAs(p) == "" {
		return p.Status.ContainerStatuses
	}
	names := objects.CompletionContainers(p)
	return slices.DeleteFunc(slices.Clone(p.Status.ContainerStatuses), func(s corev1.ContainerStatus) bool {
		return !slices.Contains(names, s.Name)
	})
}
