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

// A Pod that loses its label leaves the watch, as if it were deleted. It still exists, so its Task goes on, and the
// history is told of its deletion when it has gone.
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

// One that gets its label back is told of once, by the watch.
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

// A Pod that was deleted by force leaves the watch in the same way, and is told of once it is known to be gone.
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

// An answer that comes after the watch has shown the end of its object does not bring that back.
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
