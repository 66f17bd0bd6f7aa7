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
			// Its deletion is shown right after this. Who looked meanwhile would not find it in the cache, and ask.
			now.TerminationStart, now.TerminationEnd = then.TerminationStart, then.TerminationEnd
		}
		return becomesReady(b, a) || !reflect.DeepEqual(then, now)
	}
	return !reflect.DeepEqual(ConfigMapOf(before, true), ConfigMapOf(after, true))
}

// becomesReady reports whether a Pod is ready now. That it is not any more changes nothing, and it may be so again and again.
func becomesReady(before, after *CachedPod) bool { return !ready(&before.Pod) && ready(&after.Pod) }

// significant is what PodOf reads of a Pod, but for words and times, and whether it is ready. Scheduler and kubelet say the same again and again, and
// the first time that they gave is as good as the next.
func significant(p *CachedPod) *lifecycle.Pod {
	pod := PodOf(&p.Pod, true)
	pod.Ready = false
	if pod.StallCause != nil {
		pod.StallCause.Words, pod.StallCause.Since = "", time.Time{}
	}
	return pod
}
