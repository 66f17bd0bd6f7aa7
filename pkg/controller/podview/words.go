package podview

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// WordsOf returns the reason and message of the scheduler or a kubelet about a Pod that does not start, verbatim, and the
// container concerned; empty if there are none, or they concern the whole Pod.
func WordsOf(p *corev1.Pod) (why, message, container string) {
	if p.Spec.NodeName == "" {
		if c := scheduledCondition(p); c != nil {
			why, message = c.Reason, c.Message
		}
		return why, message, ""
	}
	s, _ := stalledContainer(p)
	switch {
	case s == nil:
		return "", "", ""
	case causeInContainer(s).Reason == reason.ContainerCrashing:
		last := s.LastTerminationState.Terminated
		return last.Reason, last.Message, s.Name
	}
	return s.State.Waiting.Reason, s.State.Waiting.Message, s.Name
}
