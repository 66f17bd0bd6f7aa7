package lifecycle

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Stay is why a Pod stays where it is: it terminates, or no node was found for it. Both are usually over soon; what
// lasts is shown to users (waiting.go).
type Stay struct {
	// UID of the Pod, and of its controlling ConfigMap as in Pod.
	UID, ConfigMapUID types.UID
	// Terminating; otherwise no node was found for it.
	Terminating bool
	// Since when. Until when it may: the grace period of what terminates is over then. The same as Since otherwise.
	Since, Until time.Time
}

// Stay returns why the Pod stays where it is; stays is false if it does not.
func (v PodView) Stay() (stay Stay, stays bool) {
	pod := v.Pod
	switch {
	case pod == nil || pod.UID == v.Gone:
		return Stay{}, false
	case pod.Deleting:
		return Stay{pod.UID, pod.ConfigMapUID, true, pod.TerminationStart, pod.TerminationEnd}, true
	case !pod.UnschedulableSince.IsZero():
		return Stay{pod.UID, pod.ConfigMapUID, false, pod.UnschedulableSince, pod.UnschedulableSince}, true
	}
	return Stay{}, false
}
