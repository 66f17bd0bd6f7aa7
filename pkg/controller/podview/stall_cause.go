package podview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

const (
	// crashes is the number of restarts of a container from which it is reported. By the third restart, the kubelet has waited
	// for more than a minute in all. A container that ended with 210 has itself reported that it is of no use.
	crashes = 3
	// lasts is how long such a container must run to be considered stable. The kubelet uses the same time.
	lasts = 10 * time.Minute
	// longestWords limits the memory for each Pod in trouble, and keeps its reason readable.
	longestWords = 400
)

// imageReasons are the kubelet's reasons for a missing image. It alternates between some of them.
var imageReasons = []string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull",
	"ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"}

// usualReasons are the kubelet's reasons for a container whose turn has not come, or whose problem is reported elsewhere.
var usualReasons = []string{"", "ContainerCreating", "PodInitializing", "CrashLoopBackOff"}

// stallCauseOf returns the reason why a Pod that has not ended does not start; nil if it starts, or no reason is known.
func stallCauseOf(p *corev1.Pod) *waiting.Cause {
	if p.Spec.NodeName == "" {
		return causeInScheduling(p)
	}
	since := placedSince(p)
	if since.IsZero() || p.DeletionTimestamp != nil {
		return nil
	}
	if s, _ := stalledContainer(p); s != nil {
		cause := causeInContainer(s)
		cause.Since = since
		return cause
	}
	if l, ok := leftBehindIn(p); ok {
		return l.cause(since)
	}
	if p.Status.Phase != corev1.PodPending || hasStarted(p) {
		return nil
	}
	return &waiting.Cause{Reason: reason.PodNotStarted, Since: since}
}

// placedSince returns since when only its node keeps a Pod from starting its next containers: it is assigned to a kubelet, and
// earlier init containers have ended. Zero if it is not assigned.
func placedSince(p *corev1.Pod) (since time.Time) {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue {
			since = c.LastTransitionTime.Time
		}
	}
	if p.Status.StartTime != nil {
		since = p.Status.StartTime.Time
	}
	for _, s := range p.Status.InitContainerStatuses {
		if t := s.State.Terminated; t != nil && t.FinishedAt.After(since) {
			since = t.FinishedAt.Time
		}
	}
	return since
}

// hasStarted reports whether the Pod has reached its app containers. Sidecars do not count, as other containers follow them.
func hasStarted(p *corev1.Pod) bool {
	sidecars := restartableInits(p)
	started := func(s corev1.ContainerStatus) bool {
		return s.State.Running != nil && !sidecars[s.Name] || s.RestartCount > 0
	}
	return slices.ContainsFunc(p.Status.InitContainerStatuses, started) ||
		slices.ContainsFunc(p.Status.ContainerStatuses, started)
}

// stalledContainer returns the first container that makes no progress, and whether it is an init container; nil if there is
// none.
func stalledContainer(p *corev1.Pod) (s *corev1.ContainerStatus, init bool) {
	for i := range p.Status.InitContainerStatuses {
		if s := &p.Status.InitContainerStatuses[i]; causeInContainer(s) != nil {
			return s, true
		}
	}
	for i := range p.Status.ContainerStatuses {
		if s := &p.Status.ContainerStatuses[i]; causeInContainer(s) != nil {
			return s, false
		}
	}
	return nil, false
}

func causeInContainer(s *corev1.ContainerStatus) *waiting.Cause {
	state, last := s.State.Waiting, s.LastTerminationState.Terminated
	switch {
	case state != nil && slices.Contains(imageReasons, state.Reason):
		return &waiting.Cause{Reason: reason.ImageNotPulled, Container: s.Name, Words: wordsOf(state)}
	case state != nil && !slices.Contains(usualReasons, state.Reason):
		return &waiting.Cause{Reason: reason.ContainerNotStarted, Container: s.Name, Words: wordsOf(state)}
	case last == nil || s.RestartCount < crashes && last.ExitCode != completion.CodeContainerPermanentFailed:
		return nil
	}
	crashing := &waiting.Cause{Reason: reason.ContainerCrashing, Container: s.Name, Words: wordsOfEnd(last)}
	if s.State.Running != nil {
		crashing.Over = s.State.Running.StartedAt.Add(lasts)
	}
	return crashing
}

func wordsOf(w *corev1.ContainerStateWaiting) string {
	if w.Message == "" {
		return w.Reason
	}
	return words(w.Reason + ": " + w.Message)
}

func wordsOfEnd(t *corev1.ContainerStateTerminated) string {
	text := fmt.Sprintf("exit code %d, %s", t.ExitCode, t.Reason)
	if t.Message != "" {
		text += ": " + t.Message
	}
	return words(text)
}

// words reduces a text to one short line.
func words(text string) string {
	return strings.TrimSpace(completion.Cut(strings.Join(strings.Fields(text), " "), longestWords))
}

// trimStall keeps the fields that stallCauseOf reads: none for a Pod that makes progress.
func trimStall(p, out *corev1.Pod) {
	if p.Spec.NodeName == "" {
		trimScheduling(p, out)
		return
	}
	cause := stallCauseOf(p)
	if cause == nil {
		return
	}
	since := metav1.NewTime(cause.Since)
	out.Status.StartTime = &since
	switch s, init := stalledContainer(p); {
	case s == nil:
		if l, ok := leftBehindIn(p); ok {
			l.trim(p, out)
		}
	case init:
		out.Status.InitContainerStatuses = []corev1.ContainerStatus{trimStalled(s, cause.Reason)}
	default:
		out.Status.ContainerStatuses = []corev1.ContainerStatus{trimStalled(s, cause.Reason)}
	}
}

func trimStalled(s *corev1.ContainerStatus, why reason.Waiting) corev1.ContainerStatus {
	out := corev1.ContainerStatus{Name: s.Name}
	if why != reason.ContainerCrashing {
		w := s.State.Waiting
		out.State.Waiting = &corev1.ContainerStateWaiting{Reason: w.Reason, Message: short(w.Message)}
		return out
	}
	last := s.LastTerminationState.Terminated
	out.RestartCount = crashes // higher counts make no difference
	out.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: last.ExitCode, Reason: last.Reason, Message: short(last.Message),
	}
	if s.State.Running != nil {
		out.State.Running = &corev1.ContainerStateRunning{StartedAt: s.State.Running.StartedAt}
	}
	return out
}

// short is words, without keeping the memory of the full text.
func short(text string) string { return strings.Clone(words(text)) }
