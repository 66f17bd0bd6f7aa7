package lifecycle

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Stall is why a Pod makes no progress: it terminates, or does not get going. Both are usually over soon; what lasts is
// shown to users (waiting.go).
type Stall struct {
	// UID of the Pod, and of its controlling ConfigMap as in Pod.
	UID, ConfigMapUID types.UID
	// StallCause says why the Pod does not get going. If it terminates, Reason is ReasonPodTerminating, Since when it began
	// and Over zero.
	StallCause
	// Node that the Pod is on; empty if it is on none.
	Node string
	// Finalizers of the Pod, as there; Held says that nothing else keeps it.
	Finalizers string
	Held       bool
	// Until when it may stay without anybody being told.
	Until time.Time
}

// Stall returns why the Pod makes no progress; stalls is false if it does, or need not.
func (v PodView) Stall() (stall Stall, stalls bool) {
	pod := v.Pod
	switch {
	case pod == nil || pod.UID == v.Gone:
		return Stall{}, false
	case pod.Deleting:
		cause := StallCause{Reason: ReasonPodTerminating, Since: pod.TerminationStart}
		return Stall{pod.UID, pod.ConfigMapUID, cause, pod.NodeName, pod.Finalizers, pod.Held(), pod.TerminationEnd.Add(podPatience)}, true
	case pod.StallCause != nil:
		until := pod.StallCause.Since.Add(pod.StallCause.patience())
		return Stall{UID: pod.UID, ConfigMapUID: pod.ConfigMapUID, StallCause: *pod.StallCause, Node: pod.NodeName, Until: until}, true
	}
	return Stall{}, false
}

// patience is how long a Pod may stall without anybody being told.
func (c StallCause) patience() time.Duration {
	if c.Usual() || c.Reason == ReasonContainersLeft {
		return startPatience
	}
	return podPatience
}

// Usual reports whether every Pod stalls like this for a while: nobody has said anything against it.
func (c StallCause) Usual() bool {
	return c.Reason == ReasonPodNotStarted || c.Reason == ReasonPodNotScheduled
}

func (s Stall) terminating() bool { return s.Reason == ReasonPodTerminating }

// over reports whether the stall counts as over.
func (s Stall) over(now time.Time) bool { return !s.Over.IsZero() && !now.Before(s.Over) }
