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

// A Pod that loses its label leaves the watch, as if it were deleted. It still exists, so its Task goes on.
func TestPodWithoutItsLabelStillExists(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.unlabel(apitest.Pods, "a-w-0")
	w.never("the Task takes its Pod for deleted", func() bool {
		return w.task("a", "w", 0).AttemptStatus.CompletionStatus != nil
	})
	w.stopFramework("a")
	w.reaches("a", v1.Completed)
}

// The same for the ConfigMap: an attempt whose Pods run has not ended.
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
