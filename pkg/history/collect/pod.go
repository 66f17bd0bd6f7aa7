package collect

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// placeOf returns the place of a container in its Pod, init containers first.
func placeOf(p *corev1.Pod, container string) (place int, init bool) {
	named := func(c corev1.Container) bool { return c.Name == container }
	if i := slices.IndexFunc(p.Spec.InitContainers, named); i >= 0 {
		return i, true
	}
	return len(p.Spec.InitContainers) + max(slices.IndexFunc(p.Spec.Containers, named), 0), false
}

// statusOf returns the status of a container, or nil.
func statusOf(p *corev1.Pod, container string) *corev1.ContainerStatus {
	for _, all := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for i := range all {
			if all[i].Name == container {
				return &all[i]
			}
		}
	}
	return nil
}
