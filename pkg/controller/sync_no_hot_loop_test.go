package controller

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// stuck are ways to be stuck.
var stuck = map[string]func(w *world){
	"finalizer on a Pod": func(w *world) {
		w.running("a")
		w.finalize(apitest.Pods, "a-w-0")
		w.EndPod("a-w-0", 0)
		w.reaches("a", v1.AttemptDeleting)
	},
	"finalizer on a Pod whose name is wanted": func(w *world) {
		w.running("a", taskRetries(1), gracefulTimeoutSec(0))
		w.finalize(apitest.Pods, "a-w-0")
		w.EndPod("a-w-0", 1)
		w.taskReaches("a", "w", 0, v1.AttemptCreationPending)
	},
	"finalizer on a Pod that is deleted by force": func(w *world) {
		w.running("a", gracefulTimeoutSec(0))
		w.finalize(apitest.Pods, "a-w-0")
		w.stopFramework("a")
		w.requested("delete pods", 1)
	},
	"finalizer on a Pod whose time is over": func(w *world) {
		w.KeepTerminating(true)
		w.running("a", gracefulTimeoutSec(1))
		w.finalize(apitest.Pods, "a-w-0")
		w.stopFramework("a")
		w.requested("delete pods", 1)
	},
	"Pod that a kubelet keeps": func(w *world) {
		w.KeepTerminating(true)
		w.running("a")
		w.stopFramework("a")
		w.taskReaches("a", "w", 0, v1.AttemptDeleting)
	},
	"Pod left over with a finalizer": func(w *world) {
		w.running("a", gracefulTimeoutSec(0), taskRetries(1))
		late := w.Get(apitest.Pods, "a-w-0").DeepCopy()
		late.SetFinalizers([]string{"example.com/keep"})
		undo := w.Inject("create pods", apitest.Always, apitest.DropConnection)
		w.EndPod("a-w-0", 1)
		w.requested("create pods", 2)
		w.Create(apitest.Pods, late)
		undo()
		w.requested("delete pods", 2)
	},
	"invisible Pod that does not go": func(w *world) {
		w.Hold(apitest.Pods) // before there is one: later, the cache might have shown it
		w.create("a")
		w.reaches("a", v1.AttemptPreparing)
		w.eventually("the Pod is recorded", func() bool { return w.task("a", "w", 0).AttemptStatus.PodUID != nil })
		w.finalize(apitest.Pods, "a-w-0")
		w.respec("a", tasks(0))
		w.requested("delete pods", 1)
	},
	"API server down": func(w *world) {
		w.running("a")
		w.Inject("*", apitest.Always, apitest.DropConnection)
		w.EndPod("a-w-0", 0)
		w.BreakWatches()
	},
	"status not writable": func(w *world) {
		w.running("a")
		w.Inject(statusWrites, apitest.Always, apitest.DropConnection)
		w.EndPod("a-w-0", 0)
	},
	"Framework not readable": func(w *world) {
		w.Inject("get frameworks", apitest.Always, apitest.DropConnection)
		w.create("a")
	},
	"quota": func(w *world) {
		w.Inject("create pods", apitest.Always, apitest.Quota())
		w.create("a", tasks(3))
	},
	"foreign Pod": func(w *world) {
		w.Create(apitest.Pods, foreign(apitest.Pods, "a-w-0"))
		w.create("a")
	},
	"retention pending": func(w *world) {
		w.running("a")
		w.EndPod("a-w-0", 0)
		w.reaches("a", v1.Completed)
	},
	"own deletion not seen": func(w *world) {
		w.running("a", func(s *v1.FrameworkSpec) { s.TTLSecondsAfterFinished = new(int32) })
		w.KeepGarbage(true)
		w.Hold(apitest.Frameworks)
		w.EndPod("a-w-0", 0)
		w.eventually("the ConfigMap is deleted", func() bool { return len(w.Requests("delete configmaps")) > 0 })
		w.Vanish(apitest.ConfigMaps, "a-attempt")
		w.requested("delete frameworks", 1)
	},
	"own deletion fails": func(w *world) {
		w.Inject("delete frameworks", apitest.Always, apitest.DropConnection)
		w.running("a", func(s *v1.FrameworkSpec) { s.TTLSecondsAfterFinished = new(int32) })
		w.EndPod("a-w-0", 0)
		w.requested("delete frameworks", 1)
	},
	"invalid": func(w *world) {
		f := framework(w.t, "a")
		f.Object["spec"].(map[string]any)["taskRoles"] = "none"
		w.Create(apitest.Frameworks, f)
	},
	"invalid and not reportable": func(w *world) {
		w.Inject("patch frameworks/status", apitest.Always, apitest.DropConnection)
		f := framework(w.t, "a")
		f.Object["spec"].(map[string]any)["taskRoles"] = "none"
		w.Create(apitest.Frameworks, f)
	},
	"Framework recreated, watch stale": func(w *world) {
		w.create("a", func(s *v1.FrameworkSpec) { s.ExecutionType = v1.ExecutionCreate })
		w.reaches("a", v1.AttemptCreationPending)
		w.Hold(apitest.Frameworks)
		w.Delete(apitest.Frameworks, "a")
		w.create("a")
		w.restart()
	},
}

// However a Framework is stuck, it keeps neither the API server nor the controller busy.
func TestNoHotLoop(t *testing.T) {
	t.Parallel()
	for name, stick := range stuck {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			stick(w)
			requests, looks := len(w.Requests("*")), w.looks.Load()
			time.Sleep(1500 * time.Millisecond)
			if n := len(w.Requests("*")) - requests; n > 60 {
				t.Errorf("%d requests in 1.5 s", n)
			}
			if n := w.looks.Load() - looks; n > 300 {
				t.Errorf("%d looks at the clock in 1.5 s", n)
			}
		})
	}
}

func (w *world) finalize(resource, name string) {
	w.Edit(resource, name, func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"example.com/keep"}) })
}
