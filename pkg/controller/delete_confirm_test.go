package controller

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// An accepted deletion does not mean that the object is gone. Until it is, none of its attempts counts as ended.

func (w *world) unfinalize(resource, name string) {
	w.Edit(resource, name, func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
}

// A Pod that is deleted by force, while a finalizer keeps it.
func TestForcedDeletionIsConfirmed(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.KeepTerminating(true)
	w.running("a", gracefulTimeoutSec(0))
	w.finalize(apitest.Pods, "a-w-0")
	w.Delete(apitest.Pods, "a-w-0")
	w.requested("delete pods a-w-0", 2) // tried, and tried again
	w.never("the Task's attempt is over", func() bool { return w.task("a", "w", 0).State != v1.AttemptDeleting })
	w.unfinalize(apitest.Pods, "a-w-0")
	w.reaches("a", v1.Completed)
}

// A Pod that is deleted before the cache has shown it.
func TestDeletionOfAnUnseenPodIsConfirmed(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Hold(apitest.Pods) // before there is one: later, the cache might have shown it
	w.create("a")
	w.eventually("the Pod is recorded", func() bool { return w.task("a", "w", 0).AttemptStatus.PodUID != nil })
	w.finalize(apitest.Pods, "a-w-0")
	w.respec("a", tasks(0))
	w.requested("delete pods a-w-0", 1)
	w.never("the Task is dropped", func() bool { return w.task("a", "w", 0).State != v1.AttemptCreationRequested })
	w.unfinalize(apitest.Pods, "a-w-0")
	w.eventually("the Task is dropped", func() bool { return len(w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses) == 0 })
}

// A ConfigMap that is deleted before the cache has shown it.
func TestDeletionOfAnUnseenConfigMapIsConfirmed(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.KeepGarbage(true)
	w.Hold(apitest.ConfigMaps)
	w.create("a")
	w.reaches("a", v1.AttemptCreationRequested)
	w.stopFramework("a")
	w.requested("delete configmaps a-attempt", 1)
	w.never("the attempt is over", func() bool { return w.state("a") != v1.AttemptCreationRequested })
	w.KeepGarbage(false)
	w.reaches("a", v1.Completed)
	if w.Get(apitest.ConfigMaps, "a-attempt") != nil {
		t.Error("the ConfigMap is still there")
	}
}
