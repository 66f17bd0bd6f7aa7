package podview

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// causeInScheduling returns the reason why a Pod has no node; nil if none is known.
func causeInScheduling(p *corev1.Pod) *waiting.Cause {
	c := scheduledCondition(p)
	switch {
	case c == nil && (p.Status.Phase != corev1.PodPending || p.CreationTimestamp.IsZero()):
		return nil // an answer with metadata only
	case c == nil:
		return &waiting.Cause{
			Reason: reason.PodNotScheduled, Words: unseen(p), Since: p.CreationTimestamp.Time,
		}
	case c.Status != corev1.ConditionFalse:
		return nil
	case c.Reason == corev1.PodReasonSchedulingGated:
		return &waiting.Cause{Reason: reason.SchedulingGated, Words: gates(p), Since: falseSince(p, c).Time}
	}
	said := wordsOfScheduler(c)
	return &waiting.Cause{
		Reason: reason.Unschedulable, Words: said, Since: falseSince(p, c).Time,
		AvoidanceBars: objects.AvoidsStrictly(p) && affinityBars(said),
	}
}

// unseen names the scheduler that has not handled a Pod, and the Pod's group, if it has one: kube-scheduler ignores Pods of a
// group that does not exist or has too few Pods yet, without reporting it.
func unseen(p *corev1.Pod) string {
	text := "its schedulerName is " + p.Spec.SchedulerName
	if g := p.Spec.SchedulingGroup; g != nil && g.PodGroupName != nil {
		text += "; its PodGroup is " + *g.PodGroupName
	}
	return words(text)
}

// scheduledCondition returns the condition PodScheduled, set by a scheduler or by the API server for it; nil if there is none.
func scheduledCondition(p *corev1.Pod) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == corev1.PodScheduled {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

// falseSince returns when the condition became false. The API server sets it without a time for a new Pod with gates.
func falseSince(p *corev1.Pod, c *corev1.PodCondition) metav1.Time {
	if c.LastTransitionTime.IsZero() {
		return p.CreationTimestamp
	}
	return c.LastTransitionTime
}

// wordsOfScheduler includes the reason if it is not the usual one, that no node fits. It may be an internal error of the
// scheduler, such as an extender that does not answer, or a scheduler's own reason.
func wordsOfScheduler(c *corev1.PodCondition) string {
	switch {
	case c.Reason == corev1.PodReasonUnschedulable, c.Reason == "":
		return words(c.Message)
	case c.Message == "":
		return words(c.Reason)
	}
	return words(c.Reason + ": " + c.Message)
}

// gates names the scheduling gates that hold back the Pod.
func gates(p *corev1.Pod) string {
	var names []string
	for _, g := range p.Spec.SchedulingGates {
		names = append(names, g.Name)
	}
	return words(strings.Join(names, ", "))
}

// trimScheduling keeps the fields that causeInScheduling reads.
func trimScheduling(p, out *corev1.Pod) {
	cause := causeInScheduling(p)
	switch {
	case cause == nil:
		return
	case cause.Reason == reason.PodNotScheduled:
		out.CreationTimestamp, out.Spec.SchedulerName = p.CreationTimestamp, p.Spec.SchedulerName
		out.Spec.SchedulingGroup = p.Spec.SchedulingGroup
		return
	}
	c := scheduledCondition(p)
	kept := corev1.PodCondition{Type: c.Type, Status: c.Status, Reason: c.Reason, LastTransitionTime: falseSince(p, c)}
	if cause.Reason == reason.SchedulingGated {
		out.Spec.SchedulingGates = p.Spec.SchedulingGates
	} else {
		kept.Message = short(c.Message)
	}
	out.Status.Conditions = []corev1.PodCondition{kept}
}
