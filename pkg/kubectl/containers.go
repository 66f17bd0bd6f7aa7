package kubectl

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

// container is one of a Task's Pod.
type container struct {
	taskPod
	name string
	// init says that it is an init container which nobody has asked for by its name.
	init bool
}

// title is what stands before each of its lines.
func (c container) title() string {
	if c.init {
		return explain.TaskName(c.role, c.index) + " " + c.name
	}
	return explain.TaskName(c.role, c.index)
}

// containersOf are those of a Pod that have, or may have, a log that is wanted, in the order in which they run.
func (l *logging) containersOf(p taskPod) (all []container) {
	if l.container != "" {
		return []container{{p, l.container, false}}
	}
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		if isSidecar(c) {
			continue // it is beside the Task, and not before it
		}
		if status := statusOf(p.Pod, c.Name); hasStarted(status) && (!l.previous || status.RestartCount > 0) {
			all = append(all, container{p, c.Name, true})
		}
	}
	return append(all, container{p, mainContainer(p.Pod), false})
}

func isSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// defaultContainer is the annotation that names the container which kubectl takes, too.
const defaultContainer = "kubectl.kubernetes.io/default-container"

func mainContainer(p *corev1.Pod) string {
	if len(p.Spec.Containers) == 0 {
		return ""
	}
	return cmp.Or(p.Annotations[defaultContainer], p.Spec.Containers[0].Name)
}

// statusOf is that of a container; nil if the Pod does not tell.
func statusOf(p *corev1.Pod, name string) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		if i := slices.IndexFunc(list, func(s corev1.ContainerStatus) bool { return s.Name == name }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// hasStarted reports whether a container has something to say, or had before it was started again.
func hasStarted(s *corev1.ContainerStatus) bool {
	return s != nil && (s.State.Running != nil || s.State.Terminated != nil || s.LastTerminationState.Terminated != nil)
}
