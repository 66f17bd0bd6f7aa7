package podview

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// Changed reports whether an update changed anything that PodOf and ConfigMapOf read. Most updates of a Pod do not.
func Changed(before, after metav1.Object) bool {
	if b, ok := before.(*CachedPod); ok {
		a := after.(*CachedPod)
		then, now := significant(b), significant(a)
		if Removed(&a.Pod) && then.Deleting {
			// Its deletion event follows at once. A round in between would not find it in the cache, and look it up.
			now.TerminationStart, now.TerminationEnd = then.TerminationStart, then.TerminationEnd
		}
		return becomesReady(b, a) || !reflect.DeepEqual(then, now)
	}
	return !reflect.DeepEqual(ConfigMapOf(before, true), ConfigMapOf(after, true))
}

// becomesReady reports whether a Pod has become ready. Losing readiness has no effect, and may happen again and again.
func becomesReady(before, after *CachedPod) bool { return !ready(&before.Pod) && ready(&after.Pod) }

// significant returns the fields that PodOf reads, except messages, times, readiness and logs, which only a decision about the Pod reads. Scheduler and kubelet repeat their
// messages, and the first time is as good as the next.
func significant(p *CachedPod) *lifecycle.Pod {
	pod := PodOf(&p.Pod, true)
	pod.Ready, pod.HasLogs = false, false
	if pod.StallCause != nil {
		pod.StallCause.Words, pod.StallCause.Since = "", time.Time{}
	}
	return pod
}
