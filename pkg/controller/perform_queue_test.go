package controller

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// spoilers make creations unwanted; seen reports whether the controller has noticed.
var spoilers = map[string]struct {
	spoil func(w *world)
	seen  func(w *world) bool
}{
	"stop": {
		func(w *world) { w.stopFramework("a") },
		func(w *world) bool { return w.state("a") == v1.AttemptDeletionPending },
	},
	"deletion of the Framework": {
		func(w *world) {
			w.KeepGarbage(true)
			w.DeleteForeground(apitest.Frameworks, "a")
		},
		func(w *world) bool { return len(w.Requests("get frameworks")) > 1 },
	},
	"deletion of the Framework in the background": {
		func(w *world) {
			w.KeepGarbage(true)
			w.Delete(apitest.Frameworks, "a")
		},
		func(w *world) bool { return w.recordCount() == 0 },
	},
	"spec that makes no sense any more": {
		func(w *world) { w.Set(apitest.Frameworks, "a", "none", "spec", "taskRoles") },
		func(w *world) bool { return len(w.Requests("patch frameworks/status")) > 0 },
	},
	"scale-down": {
		func(w *world) {
			w.respec("a", tasks(1))
		},
		func(w *world) bool { return w.task("a", "w", 49).DeletionPending },
	},
}

// Queued creations may wait long for their turn. Those no longer wanted by then are dropped.
func TestQueuedCreationsAreDropped(t *testing.T) {
	t.Parallel()
	for name, test := range spoilers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.options.RequestsInFlight = 1
			held := make(chan struct{})
			w.Inject("create pods", 1, apitest.Fault{Wait: held})
			w.start()
			w.create("a", tasks(50))
			w.requested("create pods", 1)
			test.spoil(w)
			w.eventually("the controller knows", func() bool { return test.seen(w) })
			time.Sleep(200 * time.Millisecond) // for its round to end
			close(held)
			w.never("another creation", func() bool { return len(w.Requests("create pods")) > 1 })
		})
	}
}

// The garbage collector of Kubernetes does not wait until the Framework has its next round: it would delete the ConfigMap,
// and with it the Framework, while Pods are still being created.
func TestQueuedCreationsAreDroppedBeforeTheNextRound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.RequestsInFlight = 1
	creation, round := make(chan struct{}), make(chan struct{})
	w.Inject("create pods", 1, apitest.Fault{Wait: creation})
	w.start()
	w.create("a", tasks(3))
	w.requested("create pods", 1)
	w.KeepGarbage(true)
	w.Inject("get frameworks", apitest.Always, apitest.Fault{Wait: round})
	w.DeleteForeground(apitest.Frameworks, "a")
	w.eventually("the watch shows the deletion", func() bool {
		f := w.c.watches.framework(cache.NewObjectName("default", "a"))
		return f != nil && f.GetDeletionTimestamp() != nil
	})
	close(creation)
	w.never("another creation", func() bool { return len(w.Requests("create pods")) > 1 })
	close(round)
}

// An object known to be gone is not deleted repeatedly, however long the watch lags.
func TestGoneButStillInTheCache(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", taskRetries(1))
	late := w.Get(apitest.Pods, "a-w-0").DeepCopy()
	undo := w.Inject("create pods", apitest.Always, apitest.DropConnection)
	w.EndPod("a-w-0", 1)
	w.requested("create pods", 2)
	w.stop()
	w.Create(apitest.Pods, late)
	w.Hold(apitest.Pods)
	w.Vanish(apitest.Pods, "a-w-0")
	undo()
	w.start()
	w.eventually("the second attempt has a Pod", func() bool {
		return w.task("a", "w", 0).AttemptStatus.ID == 1 && w.task("a", "w", 0).AttemptStatus.PodUID != nil
	})
	w.requireRequests("delete pods", 2)
}

// A Pod that was gone before the cache ever showed it makes room for the Pod of the next attempt.
func TestGoneBeforeTheCacheShowedIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Lifecycle.CreationTimeout = 3 * time.Second
	w.start()
	w.Hold(apitest.Pods)
	w.create("a", taskRetries(1))
	w.eventually("the Pod is recorded", func() bool { return w.task("a", "w", 0).AttemptStatus.PodUID != nil })
	w.Vanish(apitest.Pods, "a-w-0")
	w.eventually("the second attempt has a Pod", func() bool {
		return w.task("a", "w", 0).AttemptStatus.ID == 1 && w.task("a", "w", 0).AttemptStatus.PodUID != nil
	})
	w.Release(apitest.Pods)
	w.requireRequests("delete pods", 1)
	w.runs("a")
}

// The same for the ConfigMap.
func TestConfigMapGoneBeforeTheCacheShowedIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Lifecycle.CreationTimeout = 3 * time.Second
	w.start()
	w.Hold(apitest.ConfigMaps)
	w.create("a", frameworkRetries(1))
	w.eventually("the ConfigMap is recorded", func() bool { return w.status("a").AttemptStatus.ConfigMapUID != nil })
	w.Vanish(apitest.ConfigMaps, "a-attempt")
	w.eventually("the second attempt has a ConfigMap", func() bool {
		return w.status("a").AttemptStatus.ID == 1 && w.status("a").AttemptStatus.ConfigMapUID != nil
	})
	w.Release(apitest.ConfigMaps)
	w.requireRequests("delete configmaps", 1)
	w.runs("a")
}

// The text of a condition stays the same while the reason does; otherwise each attempt would be a status write.
func TestWaitingTextIsStable(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Inject("create configmaps", apitest.Always, apitest.DropConnection)
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because APIServerUnreachable")
	before := len(w.Requests(statusWrites))
	w.requested("create configmaps", 3)
	w.never("another status write", func() bool { return len(w.Requests(statusWrites)) > before })
}

// Long messages, of webhooks and others, are cut for users.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.tampered = true
	w.Inject("create pods", apitest.Always, apitest.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, strings.Repeat("no ", 20000)))
	w.create("a")
	w.reaches("a", v1.Completed)
	w.create("b", func(s *v1.FrameworkSpec) { s.ExecutionType = v1.ExecutionCreate })
	w.reaches("b", v1.AttemptCreationPending)
	w.stop()
	w.Edit(apitest.Frameworks, "b", func(o *unstructured.Unstructured) {
		attempt := o.Object["status"].(map[string]any)["attemptStatus"].(map[string]any)
		role := attempt["taskRoleStatuses"].([]any)[0].(map[string]any)
		role["name"] = strings.Repeat("w", 40000)
		role["taskStatuses"].([]any)[0].(map[string]any)["index"] = int64(7)
	})
	w.start()
	w.conditionBecomes("b", v1.ConditionStatusInvalid, "True because StatusInvalid")
	w.warnedOnce("a", "PodRefused")
	for _, e := range w.List(apitest.Events) {
		if text, _, _ := unstructured.NestedString(e.Object, "message"); len(text) > 1024 {
			t.Errorf("an event has %d bytes", len(text))
		}
	}
}

// Queued creations do not hold a copy of the template each: 10,000 of them would need more memory than the controller has.
func TestQueuedCreationsTakeNoMemory(t *testing.T) {
	const tasksNumber, templateBytes = 1000, 100 << 10
	w := newWorld(t)
	w.start()
	before := heapBytes()
	large := strings.Repeat("x", templateBytes)
	hold := make(chan struct{})
	for i := 1; i < tasksNumber; i++ { // all others wait for the first
		w.Inject(fmt.Sprintf("create pods a-w-%d", i), apitest.Always, apitest.Fault{Wait: hold, Drop: true})
	}
	w.create("a", tasks(tasksNumber), template(`{"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "none", "args": ["`+large+`"]}]}}`))
	w.eventually("all are queued", func() bool { return w.c.Load().Queued >= tasksNumber-100 })
	after := heapBytes()
	w.Heal()
	close(hold)
	w.stop()
	if most := uint64(tasksNumber * templateBytes / 2); after > before+most {
		t.Errorf("%d MiB more than before", (after-before)>>20)
	}
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
