package podview

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// WordsOf returns the message of the scheduler or a kubelet about a Pod that makes no progress, unchanged, and the container
// concerned; empty if there is none, or if it concerns the Pod.
func WordsOf(p *corev1.Pod) (reason, message, container string) {
	if p.Spec.NodeName == "" {
		if c := scheduledCondition(p); c != nil {
			reason, message = c.Reason, c.Message
		}
		return reason, message, ""
	}
	s, _ := stalledContainer(p)
	switch {
	case s == nil:
		return "", "", ""
	case causeInContainer(s).Reason == lifecycle.ReasonContainerCrashing:
		last := s.LastTerminationState.Terminated
		return last.Reason, last.Message, s.Name
	}
	return s.State.Waiting.Reason, s.State.Waiting.Message, s.Name
}
