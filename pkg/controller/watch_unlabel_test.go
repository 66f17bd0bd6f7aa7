package controller

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

func (w *world) unlabel(resource, name string) {
	w.Edit(resource, name, func(o *unstructured.Unstructured) { o.SetLabels(nil) })
}

// A Pod that loses its label leaves the watch as if it were deleted. It still exists, so its Task continues, and the history
// records its deletion when it is gone.
func TestPodWithoutItsLabelStillExists(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.running("a")
	w.unlabel(apitest.Pods, "a-w-0")
	w.never("the Task takes its Pod for deleted", func() bool {
		return w.task("a", "w", 0).AttemptStatus.CompletionStatus != nil || len(snapshots(t, told, "OnPodDeletion")) > 0
	})
	w.stopFramework("a")
	w.reaches("a", v1.Completed)
	if n := len(snapshots(t, told, "OnPodDeletion")); n != 1 {
		t.Errorf("told of %d Pods", n)
	}
}

// A Pod that gets its label back is recorded once, through the watch.
func TestHistoryOfAPodThatGetsItsLabelBack(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.running("a")
	labels := w.Get(apitest.Pods, "a-w-0").GetLabels()
	w.unlabel(apitest.Pods, "a-w-0")
	w.requested("get pods a-w-0", 1)
	w.Edit(apitest.Pods, "a-w-0", func(o *unstructured.Unstructured) { o.SetLabels(labels) })
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	if n := len(snapshots(t, told, "OnPodDeletion")); n != 1 {
		t.Errorf("told of %d Pods", n)
	}
}

// A Pod deleted by force leaves the watch in the same way. It is recorded in the history once it is known to be gone.
func TestHistoryOfAPodThatVanishes(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.running("a")
	w.Vanish(apitest.Pods, "a-w-0")
	w.reaches("a", v1.Completed)
	if got := snapshots(t, told, "OnPodDeletion"); len(got) != 1 || got[0].Status.Phase != "Running" {
		t.Errorf("told of %+v", got)
	}
}

// An answer that arrives after the watch has shown the end of its object does not revive the object.
func TestAnswerIsOlderThanTheEndOfItsPod(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	answer := make(chan struct{})
	w.Inject("create pods", 1, apitest.Fault{LoseIf: func(bool) bool {
		<-answer
		return false
	}})
	w.create("a")
	shown := func() bool { return w.c.watches.pod(apitest.Namespace, "a-w-0") != nil }
	w.eventually("the watch shows the Pod", shown)
	w.Vanish(apitest.Pods, "a-w-0")
	w.eventually("the watch shows its end", func() bool { return !shown() })
	w.never("another Pod", func() bool { return w.made(apitest.Pods, "a-w-0") > 1 })
	close(answer)
	w.eventually("another Pod", func() bool { return w.made(apitest.Pods, "a-w-0") > 1 })
	w.runs("a")
}

// A ConfigMap without its label still exists, too: an attempt whose Pods run has not ended.
func TestConfigMapWithoutItsLabelStillExists(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.unlabel(apitest.ConfigMaps, "a-attempt")
	w.never("the attempt ends", func() bool { return w.status("a").AttemptStatus.CompletionStatus != nil })
	w.stopFramework("a")
	w.reaches("a", v1.Completed)
	if w.Get(apitest.Pods, "a-w-0") != nil {
		t.Error("a Pod has outlived its attempt")
	}
}

// A Pod whose label names another Framework is still watched, and still belongs to its Task.
func TestPodWithTheLabelOfAnotherFramework(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.Edit(apitest.Pods, "a-w-0", func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{v1.KeyFrameworkName: "b"}) })
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
}

// A terminating Pod that loses its label may run on until its node has ended it. Until then its Task gets no other Pod, whoever
// has deleted it, and the condition names the Pod.
func TestTerminatingPodWithoutItsLabelStillExists(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*world){
		"by others":         func(w *world) { w.Delete(apitest.Pods, "a-w-0") },
		"by the controller": func(w *world) { w.stopFramework("a") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.running("a", taskRetries(-1))
			w.shorten("a-w-0")
			w.KeepTerminating(true)
			remove(w)
			w.taskReaches("a", "w", 0, v1.AttemptDeleting)
			w.unlabel(apitest.Pods, "a-w-0")
			w.requested("get pods a-w-0", 2)
			if task := w.task("a", "w", 0); task.State != v1.AttemptDeleting {
				t.Errorf("the Task is in %s, attempt %d, and its Pod is there", task.State, task.AttemptStatus.ID)
			}
			w.conditionBecomes("a", v1.ConditionWaiting, "True because PodTerminating")
			writes := len(w.Requests(statusWrites))
			w.requested("get pods a-w-0", len(w.Requests("get pods a-w-0"))+2)
			if n := len(w.Requests(statusWrites)); n != writes {
				t.Errorf("%d status writes while nothing changed", n-writes)
			}
			w.KeepTerminating(false)
			w.eventually("the Task goes on", func() bool { return w.task("a", "w", 0).State != v1.AttemptDeleting })
		})
	}
}

// shorten has a Pod be deleted with a grace period that is over soon.
func (w *world) shorten(pod string) {
	w.Edit(apitest.Pods, pod, func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(o.Object, int64(1), "spec", "terminationGracePeriodSeconds")
	})
}

// The timeout for deletion by force also applies to a terminating Pod without its label.
func TestTerminatingPodWithoutItsLabelIsForced(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", gracefulTimeoutSec(3))
	w.KeepTerminating(true)
	w.stopFramework("a")
	w.taskReaches("a", "w", 0, v1.AttemptDeleting)
	w.unlabel(apitest.Pods, "a-w-0")
	w.reaches("a", v1.Completed)
	if w.Get(apitest.Pods, "a-w-0") != nil {
		t.Error("the Pod has outlived its attempt")
	}
}
