package lifecycle

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Stay is why a Pod stays where it is: it terminates, or does not get going. Both are usually over soon; what lasts is
// shown to users (waiting.go).
type Stay struct {
	// UID of the Pod, and of its controlling ConfigMap as in Pod.
	UID, ConfigMapUID types.UID
	// Delay says why the Pod does not get going. If it terminates, Reason is ReasonPodTerminating, Since when it began
	// and Over zero.
	Delay
	// Node that the Pod is on; empty if it is on none.
	Node string
	// Finalizers of the Pod, as there; Held says that nothing else keeps it.
	Finalizers string
	Held       bool
	// Until when it may stay without anybody being told.
	Until time.Time
}

// Stay returns why the Pod stays where it is; stays is false if it does not.
func (v PodView) Stay() (stay Stay, stays bool) {
	pod := v.Pod
	switch {
	case pod == nil || pod.UID == v.Gone:
		return Stay{}, false
	case pod.Deleting:
		delay := Delay{Reason: ReasonPodTerminating, Since: pod.TerminationStart}
		return Stay{pod.UID, pod.ConfigMapUID, delay, pod.NodeName, pod.Finalizers, pod.Held(), pod.TerminationEnd.Add(podPatience)}, true
	case pod.Delay != nil:
		until := pod.Delay.Since.Add(pod.Delay.patience())
		return Stay{UID: pod.UID, ConfigMapUID: pod.ConfigMapUID, Delay: *pod.Delay, Node: pod.NodeName, Until: until}, true
	}
	return Stay{}, false
}

// patience is how long a Pod may be delayed without anybody being told.
func (d Delay) patience() time.Duration {
	if d.Usual() {
		return startPatience
	}
	return podPatience
}

// Usual reports whether every Pod is delayed like this for a while: nobody has said anything against it.
func (d Delay) Usual() bool {
	return d.Reason == ReasonPodNotStarted || d.Reason == ReasonPodNotScheduled
}

func (s Stay) terminating() bool { return s.Reason == ReasonPodTerminating }

// over reports whether the stay counts as over.
func (s Stay) over(now time.Time) bool { return !s.Over.IsZero() && !now.Before(s.Over) }
