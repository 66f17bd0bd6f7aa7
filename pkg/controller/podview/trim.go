package podview

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// Trim reduces an object to the fields that PodOf, ConfigMapOf and FrameworkOf read.
func Trim(o any) (any, error) {
	switch o := o.(type) {
	case *corev1.Pod:
		return trimPod(o), nil
	case *corev1.ConfigMap:
		out := &corev1.ConfigMap{ObjectMeta: TrimMeta(o)}
		if slices.Contains(o.Finalizers, v1.AttemptConfigMapFinalizer) {
			out.Finalizers = []string{v1.AttemptConfigMapFinalizer}
		}
		return out, nil
	case *metav1.PartialObjectMetadata:
		o.ManagedFields, o.Annotations, o.Labels, o.OwnerReferences = nil, nil, nil, nil
		o.Finalizers = slices.Clone(o.Finalizers[:min(len(o.Finalizers), mostFinalizers)])
	}
	return o, nil
}

// trimPod returns a Pod with the fields that PodOf and DisruptionOf read. It does not change p, but may share parts with it.
func trimPod(p *corev1.Pod) *corev1.Pod {
	out := &corev1.Pod{
		ObjectMeta: TrimMeta(p),
		Spec:       corev1.PodSpec{NodeName: p.Spec.NodeName},
		Status: corev1.PodStatus{
			Phase:  p.Status.Phase,
			PodIP:  p.Status.PodIP,
			HostIP: p.Status.HostIP,
		},
	}
	if over := overAs(p); Ended(p.Status.Phase) || over != "" {
		trimOutcome(p, out)
		if over != "" {
			out.Spec.RestartPolicy = p.Spec.RestartPolicy
		}
	} else {
		trimStall(p, out)
		trimUnstarted(p, out)
		trimReady(p, out)
		trimHasLogs(p, out)
	}
	trimDisruption(p, out)
	trimFinalizers(p, out)
	return out
}

// trimOutcome keeps the fields that OutcomeOf reads.
func trimOutcome(p, out *corev1.Pod) {
	for _, c := range p.Spec.InitContainers {
		out.Spec.InitContainers = append(out.Spec.InitContainers, corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy})
	}
	trimMemory(p, out)
	out.Status.Reason, out.Status.Message = p.Status.Reason, p.Status.Message
	out.Status.InitContainerStatuses = trimStatuses(p.Status.InitContainerStatuses)
	out.Status.ContainerStatuses = trimStatuses(judged(p))
}

func trimStatuses(statuses []corev1.ContainerStatus) []corev1.ContainerStatus {
	var out []corev1.ContainerStatus
	for _, s := range statuses {
		out = append(out, corev1.ContainerStatus{Name: s.Name, State: corev1.ContainerState{Terminated: s.State.Terminated}})
	}
	return out
}

const (
	// mostFinalizers limits the finalizers of a Framework that the history reports.
	mostFinalizers = 100
	// longestMark limits labels and annotations that are compared as a whole. The values that the controller writes are shorter,
	// and a longer one equals none of them, whole or cut. A list must not be cut: another name could be its last.
	longestMark = 253
	// longestReference limits the texts of an owner reference together. Those of the controller's objects are shorter.
	longestReference = 1 << 10
)

// TrimMeta returns the metadata that are read of dependents. Their size is limited, whatever the object has. They share the
// reference and texts with o.
func TrimMeta(o metav1.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:                       o.GetName(),
		Namespace:                  o.GetNamespace(),
		UID:                        o.GetUID(),
		ResourceVersion:            o.GetResourceVersion(),
		DeletionTimestamp:          o.GetDeletionTimestamp(),
		DeletionGracePeriodSeconds: o.GetDeletionGracePeriodSeconds(),
		OwnerReferences:            controllerOnly(o),
		Labels:                     ourLabels(o.GetLabels()),
		Annotations:                ourAnnotations(o.GetAnnotations()),
	}
}

// controllerOnly returns the reference to the controller, unless it is too long to be a Framework or its ConfigMap.
func controllerOnly(o metav1.Object) []metav1.OwnerReference {
	c := metav1.GetControllerOfNoCopy(o)
	if c == nil || len(c.APIVersion)+len(c.Kind)+len(c.Name)+len(c.UID) > longestReference {
		return nil
	}
	if all := o.GetOwnerReferences(); len(all) == 1 {
		return all
	}
	return []metav1.OwnerReference{*c}
}

func ourLabels(labels map[string]string) map[string]string {
	return pick(labels, v1.KeyFrameworkName)
}

func ourAnnotations(annotations map[string]string) map[string]string {
	out := pick(annotations, v1.KeyFrameworkAttemptID, v1.KeyTaskUID, v1.KeyTaskAttemptID, v1.KeyAvoidNodes)
	if named, ok := annotations[v1.KeyCompletionContainers]; ok && len(named) <= objects.LongestCompletionContainers {
		out[v1.KeyCompletionContainers] = named
	}
	return out
}

func pick(from map[string]string, keys ...string) map[string]string {
	out := make(map[string]string, len(keys))
	for _, key := range keys {
		if value, ok := from[key]; ok {
			out[key] = mark(value)
		}
	}
	return out
}

// mark truncates a value that is too long, without keeping the memory of the rest.
func mark(value string) string {
	if len(value) <= longestMark {
		return value
	}
	return strings.Clone(value[:longestMark])
}
