package podview

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// memory is the memory of a container, in bytes; 0 if it is not set.
type memory struct{ limit, request int64 }

func (m memory) enter(c completion.Container) completion.Container {
	c.MemoryLimit, c.MemoryRequest = m.limit, m.request
	return c
}

// memoryOf returns the memory of the containers of a Pod that has failed, by their names.
func memoryOf(p *corev1.Pod) map[string]memory {
	if !Failed(p) {
		return nil
	}
	out := map[string]memory{}
	for _, list := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for _, c := range list {
			out[c.Name] = memory{c.Resources.Limits.Memory().Value(), c.Resources.Requests.Memory().Value()}
		}
	}
	return out
}

// trimMemory keeps the fields that memoryOf reads. The init containers are there already.
func trimMemory(p, out *corev1.Pod) {
	if !Failed(p) {
		return
	}
	for i := range out.Spec.InitContainers {
		out.Spec.InitContainers[i].Resources = memoryAlone(p.Spec.InitContainers[i].Resources)
	}
	for _, c := range p.Spec.Containers {
		if r := memoryAlone(c.Resources); r.Limits != nil || r.Requests != nil {
			out.Spec.Containers = append(out.Spec.Containers, corev1.Container{Name: c.Name, Resources: r})
		}
	}
}

func memoryAlone(r corev1.ResourceRequirements) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Limits: amountOfMemory(r.Limits), Requests: amountOfMemory(r.Requests)}
}

func amountOfMemory(list corev1.ResourceList) corev1.ResourceList {
	if amount, ok := list[corev1.ResourceMemory]; ok {
		return corev1.ResourceList{corev1.ResourceMemory: amount}
	}
	return nil
}
