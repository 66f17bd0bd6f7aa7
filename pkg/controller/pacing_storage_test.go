package controller

import (
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A large status is written less often once its versions would fill etcd, even if Pods depend on the write. Small ones, and changes by
// users, are stored at once.
func TestLargeStatusesLeaveRoomInEtcd(t *testing.T) {
	inBubble(t, func(w *world) {
		w.options.EtcdQuota = 16 << 20 // 5 MiB at once, then 11 KiB a second
		w.start()
		w.running("large", tasks(150), taskRetries(300))
		w.running("small", tasks(2), taskRetries(300))
		slow := func(framework string) bool {
			began, pod := time.Now(), v1.PodName(framework, "w", 0)
			before := w.Get(apitest.Pods, pod).GetUID()
			w.EndPod(pod, 1)
			w.eventually("the retry", func() bool {
				o := w.Get(apitest.Pods, pod)
				return o != nil && o.GetUID() != before
			})
			took := time.Since(began)
			w.RunPod(pod)
			w.taskReaches(framework, "w", 0, v1.AttemptRunning)
			return took > 3*time.Second
		}
		if slow("large") {
			t.Error("the first retry is slow")
		}
		tries := 1
		for ; tries < 200 && !slow("large"); tries++ {
		}
		if tries == 200 {
			t.Error("no retry waits for room")
		}
		if slow("small") {
			t.Error("a small Framework waits, too")
		}
		began := time.Now()
		w.stopFramework("large")
		w.eventually("the end", func() bool { return w.status("large").AttemptStatus.CompletionStatus != nil })
		if d := time.Since(began); d > time.Second {
			t.Errorf("the stop is stored after %v", d)
		}
	})
}
