package kubectl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// container is a container of a Task's Pod.
type container struct {
	taskPod
	name string
	// init marks an init container that the user has not named with -c.
	init bool
}

// title is the prefix of each of its lines.
func (c container) title() string {
	if c.init {
		return explain.TaskName(c.role, c.index) + " " + c.name
	}
	return explain.TaskName(c.role, c.index)
}

// containersOf returns the containers of a Pod whose logs are wanted, in the order in which they run. Some may have no log yet.
func (l *logging) containersOf(p taskPod) (all []container) {
	if l.container != "" {
		if !slices.Contains(containerNames(&p.Spec), l.container) {
			return nil // belongs to another role
		}
		return []container{{p, l.container, false}}
	}
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		if isSidecar(c) {
			continue // a sidecar, which runs beside the Task and not before it
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

// defaultContainer is the annotation that names the default container; kubectl honours it, too.
const defaultContainer = "kubectl.kubernetes.io/default-container"

func mainContainer(p *corev1.Pod) string {
	if len(p.Spec.Containers) == 0 {
		return ""
	}
	return cmp.Or(p.Annotations[defaultContainer], p.Spec.Containers[0].Name)
}

// containerNames returns the names that -c accepts, in the order in which the containers run.
func containerNames(s *corev1.PodSpec) (names []string) {
	for i := range s.InitContainers {
		names = append(names, s.InitContainers[i].Name)
	}
	for i := range s.Containers {
		names = append(names, s.Containers[i].Name)
	}
	for i := range s.EphemeralContainers {
		names = append(names, s.EphemeralContainers[i].Name)
	}
	return names
}

// templateContainers returns the names of a template's containers; none if it cannot be decoded.
func templateContainers(template v1.PodTemplate) (names []string) {
	type named struct {
		Name string `json:"name"`
	}
	var pod struct {
		Spec struct {
			InitContainers []named `json:"initContainers"`
			Containers     []named `json:"containers"`
		} `json:"spec"`
	}
	if objects.ReadTemplate(template, &pod) != nil {
		return nil
	}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		names = append(names, c.Name)
	}
	return names
}

// checkContainer rejects a name for -c that no chosen Pod has, neither in its template nor among containers added by others.
func (l *logging) checkContainer(ctx context.Context, k *cluster, s *stored, chosen []target) error {
	if l.container == "" {
		return nil
	}
	var known []string
	for i := range s.Spec.TaskRoles {
		role := &s.Spec.TaskRoles[i]
		if len(chosen) > 0 && !slices.ContainsFunc(chosen, func(t target) bool { return t.role == role.Name }) {
			continue
		}
		known = append(known, templateContainers(role.Task.Pod)...)
	}
	if slices.Contains(known, l.container) {
		return nil
	}
	pods, err := k.pods(ctx, s.Name, chosen)
	if err != nil {
		return err
	}
	for _, p := range pods {
		known = append(known, containerNames(&p.Spec)...)
	}
	if slices.Contains(known, l.container) {
		return nil
	}
	slices.Sort(known)
	return fmt.Errorf("none of these Pods of Framework %s has a container %q: their containers are %s", s.Name, l.container, strings.Join(slices.Compact(known), ", "))
}

// statusOf returns the status of a container; nil if the Pod has none.
func statusOf(p *corev1.Pod, name string) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses, p.Status.EphemeralContainerStatuses} {
		if i := slices.IndexFunc(list, func(s corev1.ContainerStatus) bool { return s.Name == name }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// hasStarted reports whether a container has a log, now or from before it was restarted.
func hasStarted(s *corev1.ContainerStatus) bool {
	return s != nil && (s.State.Running != nil || s.State.Terminated != nil || s.LastTerminationState.Terminated != nil)
}
