package podview

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// ConfigMapOf reduces the ConfigMap of an attempt, which may be trimmed. Cached is whether the cache has it.
func ConfigMapOf(o metav1.Object, cached bool) *lifecycle.ConfigMap {
	cm := &lifecycle.ConfigMap{UID: o.GetUID(), Cached: cached, Deleting: o.GetDeletionTimestamp() != nil, AttemptID: -1}
	cm.AwaitsCollector = slices.Contains(o.GetFinalizers(), v1.AttemptConfigMapFinalizer)
	if id, ok := objects.Identify(o); ok && id.ControllerKind == objects.KindFramework {
		cm.FrameworkUID, cm.AttemptID = id.ControllerUID, id.FrameworkAttemptID
	}
	if cm.Deleting {
		cm.TerminationStart = o.GetDeletionTimestamp().Time
	}
	return cm
}

// PodOf reduces a Pod, which may be trimmed. Cached is whether the cache has it.
func PodOf(p *corev1.Pod, cached bool) *lifecycle.Pod {
	out := &lifecycle.Pod{
		UID:           p.UID,
		Cached:        cached,
		TaskAttemptID: -1,
		Phase:         lifecycle.PodPhase(p.Status.Phase),
		NodeName:      p.Spec.NodeName,
		IP:            p.Status.PodIP,
		HostIP:        p.Status.HostIP,
	}
	if id, ok := objects.Identify(p); ok && id.ControllerKind == objects.KindConfigMap {
		out.ConfigMapUID, out.TaskUID, out.TaskAttemptID = id.ControllerUID, id.TaskUID, id.TaskAttemptID
	}
	out.AvoidsStrictly = objects.AvoidsStrictly(p)
	out.Deleting, out.TerminationStart, out.TerminationEnd = termination(p)
	out.Finalizers = FinalizersOf(p)
	out.Over = overAs(p)
	out.HasLogs = hasLogs(p)
	if Ended(p.Status.Phase) || out.Over != "" {
		out.Outcome = OutcomeOf(p)
	} else {
		out.StallCause, out.Unstarted, out.Ready = stallCauseOf(p), unstarted(p), ready(p)
	}
	return out
}

// termination returns since when a Pod has been terminating, and when its grace period ends. The deletionTimestamp is the end
// of the grace period.
func termination(p *corev1.Pod) (deleting bool, since, until time.Time) {
	if p.DeletionTimestamp == nil {
		return false, time.Time{}, time.Time{}
	}
	grace := int64(0)
	if p.DeletionGracePeriodSeconds != nil {
		grace = *p.DeletionGracePeriodSeconds
	}
	return true, p.DeletionTimestamp.Add(-time.Duration(grace) * time.Second), p.DeletionTimestamp.Time
}

// Ended reports whether a Pod in that phase has ended for good.
func Ended(phase corev1.PodPhase) bool {
	return phase == corev1.PodSucceeded || phase == corev1.PodFailed
}

// OutcomeOf describes how a Pod that has ended, and each of its containers, ended. If the Pod names completion containers, and
// they have all ended, the outcome has only these.
func OutcomeOf(p *corev1.Pod) completion.Pod {
	out := completion.Pod{Name: p.Name, Reason: p.Status.Reason, Message: p.Status.Message, Disruption: disruption(p)}
	sidecars, memory := restartableInits(p), memoryOf(p)
	for _, s := range p.Status.InitContainerStatuses {
		c := memory[s.Name].enter(containerOf(s))
		c.Init, c.Restartable = true, sidecars[s.Name]
		out.Containers = append(out.Containers, c)
	}
	for _, s := range judged(p) {
		out.Containers = append(out.Containers, memory[s.Name].enter(containerOf(s)))
	}
	return out
}

func restartableInits(p *corev1.Pod) map[string]bool {
	names := map[string]bool{}
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			names[c.Name] = true
		}
	}
	return names
}

func containerOf(s corev1.ContainerStatus) completion.Container {
	c := completion.Container{Name: s.Name}
	if t := s.State.Terminated; t != nil {
		c.Terminated = true
		c.Code, c.Signal, c.Reason, c.Message, c.FinishedAt = t.ExitCode, t.Signal, t.Reason, t.Message, t.FinishedAt.Time
	}
	return c
}
