package podview

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// overAs returns the final phase of a Pod whose completion containers have all ended, whatever else runs in it; empty if they
// have not, or if it names none. A container that the kubelet may restart has not ended, so such names count only with
// restartPolicy Never.
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

// Failed reports whether a Pod has failed, by its phase or by its completion containers.
func Failed(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodFailed || overAs(p) == lifecycle.PodFailed
}

// judged returns the app containers that decide the outcome of a Pod.
func judged(p *corev1.Pod) []corev1.ContainerStatus {
	if overAs(p) == "" {
		return p.Status.ContainerStatuses
	}
	names := objects.CompletionContainers(p)
	return slices.DeleteFunc(slices.Clone(p.Status.ContainerStatuses), func(s corev1.ContainerStatus) bool {
		return !slices.Contains(names, s.Name)
	})
}
