package podview

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// longestReason is the limit for a condition's reason in the conventions of the API.
const longestReason = 128

// DisruptionOf returns why somebody else deletes a Pod, even if it has not begun to terminate; nil if nobody has given a
// reason. The text is limited to the length that is shown.
func DisruptionOf(p *corev1.Pod) *lifecycle.Disruption {
	if d := disruption(p); d != nil {
		return &lifecycle.Disruption{PodUID: p.UID, Disruption: *d}
	}
	return nil
}

func disruption(p *corev1.Pod) *completion.Disruption {
	if c := disruptedCondition(p); c != nil {
		return &completion.Disruption{Reason: completion.Cut(c.Reason, longestReason), Message: words(c.Message)}
	}
	return nil
}

// trimDisruption keeps the fields that DisruptionOf reads.
func trimDisruption(p, out *corev1.Pod) {
	if c := disruptedCondition(p); c != nil {
		out.Status.Conditions = append(out.Status.Conditions, corev1.PodCondition{
			Type: c.Type, Status: c.Status, Reason: completion.Cut(c.Reason, longestReason), Message: short(c.Message),
		})
	}
}

func disruptedCondition(p *corev1.Pod) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}
