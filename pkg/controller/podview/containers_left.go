package podview

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// leftBehind is what keeps a Pod running although its work is over: a proxy, say, that nobody ends.
type leftBehind struct {
	// ended will not be started again. It failed, so that the Pod can no longer succeed, or it succeeded and is the first
	// container of the Pod, which is by convention the one that does the work.
	ended *corev1.ContainerStatus
	// left is the first container that runs; others is how many more do.
	left   *corev1.ContainerStatus
	others int
}

// leftBehindIn returns ok only if both are there. Init containers and native sidecars do not count: the kubelet ends these. A
// Pod whose author has said which containers complete it is not second-guessed.
func leftBehindIn(p *corev1.Pod) (out leftBehind, ok bool) {
	if namesContainers(p) {
		return leftBehind{}, false
	}
	for i := range p.Status.ContainerStatuses {
		s := &p.Status.ContainerStatuses[i]
		switch {
		case s.State.Running == nil:
			if out.ended == nil && endedForGood(p, s) && decides(p, s) {
				out.ended = s
			}
		case out.left == nil:
			out.left = s
		default:
			out.others++
		}
	}
	return out, out.ended != nil && out.left != nil
}

// endedForGood reports whether the kubelet will not start the container again.
func endedForGood(p *corev1.Pod, s *corev1.ContainerStatus) bool {
	t := s.State.Terminated
	for i := range p.Spec.Containers {
		if c := &p.Spec.Containers[i]; c.Name == s.Name && c.RestartPolicy != nil {
			return false // it has rules of its own, and the kubelet may be about to start it again
		}
	}
	switch p.Spec.RestartPolicy {
	case corev1.RestartPolicyNever:
		return t != nil
	case corev1.RestartPolicyOnFailure:
		return t != nil && t.ExitCode == 0
	}
	return false
}

func decides(p *corev1.Pod, s *corev1.ContainerStatus) bool {
	first := len(p.Spec.Containers) > 0 && p.Spec.Containers[0].Name == s.Name
	return first || s.State.Terminated.ExitCode != 0
}

// cause says so since the container ended, or since the Pod was placed if that is not known.
func (l leftBehind) cause(placed time.Time) *lifecycle.StallCause {
	t := l.ended.State.Terminated
	since := t.FinishedAt.Time
	if since.IsZero() {
		since = placed
	}
	return &lifecycle.StallCause{
		Reason: lifecycle.ReasonContainersLeft, Container: l.ended.Name, Left: l.running(), Words: wordsOfEnd(t), Since: since,
	}
}

// running names the containers that run, in one phrase.
func (l leftBehind) running() string {
	if l.others == 0 {
		return l.left.Name
	}
	return fmt.Sprintf("%s and %d more", l.left.Name, l.others)
}

// ContainersLeft returns the container of a running Pod that has ended for good, and the names of those that run on without it; ok
// is false if there are none, or if the one that ended says nothing about the Pod.
func ContainersLeft(p *corev1.Pod) (ended *corev1.ContainerStatus, left string, ok bool) {
	l, ok := leftBehindIn(p)
	if !ok {
		return nil, "", false
	}
	return l.ended, l.running(), true
}

// trim keeps what leftBehindIn looks at. Since when it is so stands for the start of the Pod.
func (l leftBehind) trim(p, out *corev1.Pod) {
	t := l.ended.State.Terminated
	out.Spec.RestartPolicy = p.Spec.RestartPolicy
	if t.ExitCode == 0 {
		out.Spec.Containers = []corev1.Container{{Name: l.ended.Name}} // it is the first one
	}
	out.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: l.ended.Name, State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: t.ExitCode, Reason: t.Reason, Message: short(t.Message)},
	}}}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	for i := range l.others + 1 {
		s := corev1.ContainerStatus{State: running}
		if i == 0 {
			s.Name = l.left.Name
		}
		out.Status.ContainerStatuses = append(out.Status.ContainerStatuses, s)
	}
}
