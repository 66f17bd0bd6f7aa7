package podview

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// leftBehind describes a container that keeps a Pod running although its work is over, such as a proxy that nobody stops.
type leftBehind struct {
	// ended will not be restarted. It failed, so that the Pod can no longer succeed, or it succeeded and is the first container
	// of the Pod, which by convention does the work.
	ended *corev1.ContainerStatus
	// left is the first running container; others is the number of further ones.
	left   *corev1.ContainerStatus
	others int
}

// leftBehindIn returns ok only if there are both. Init containers and native sidecars do not count: the kubelet stops these. A
// Pod whose author has named its completion containers is not second-guessed.
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

// endedForGood reports whether the kubelet will not restart the container.
func endedForGood(p *corev1.Pod, s *corev1.ContainerStatus) bool {
	t := s.State.Terminated
	for i := range p.Spec.Containers {
		if c := &p.Spec.Containers[i]; c.Name == s.Name && c.RestartPolicy != nil {
			return false // it has its own rules, and the kubelet may be about to restart it
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

// cause returns the stall, which began when the container ended, or when the Pod was placed if that is unknown.
func (l leftBehind) cause(placed time.Time) *waiting.Cause {
	t := l.ended.State.Terminated
	since := t.FinishedAt.Time
	if since.IsZero() {
		since = placed
	}
	return &waiting.Cause{
		Reason: reason.ContainersLeft, Container: l.ended.Name, Left: l.running(), Words: wordsOfEnd(t), Since: since,
	}
}

// running names the running containers in one phrase.
func (l leftBehind) running() string {
	if l.others == 0 {
		return l.left.Name
	}
	return fmt.Sprintf("%s and %d more", l.left.Name, l.others)
}

// ContainersLeft returns the container of a running Pod that has ended for good, and the names of the containers that still
// run; ok is false if there are none, or if the ended one is not decisive for the Pod.
func ContainersLeft(p *corev1.Pod) (ended *corev1.ContainerStatus, left string, ok bool) {
	l, ok := leftBehindIn(p)
	if !ok {
		return nil, "", false
	}
	return l.ended, l.running(), true
}

// trim keeps the fields that leftBehindIn reads. The time since when the container is left behind stands for the start of the
// Pod.
func (l leftBehind) trim(p, out *corev1.Pod) {
	t := l.ended.State.Terminated
	out.Spec.RestartPolicy = p.Spec.RestartPolicy
	if t.ExitCode == 0 {
		out.Spec.Containers = []corev1.Container{{Name: l.ended.Name}} // it is the first container
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
