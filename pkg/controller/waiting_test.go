package controller

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

const longAgo = "2024-01-01T00:00:00Z"

// findNoNode sets the scheduler's message for a Pod that fits on no node.
func (w *world) findNoNode(pod, since string) {
	w.schedulerSays(pod, "Unschedulable", since, "0/7 nodes are available")
}

func (w *world) schedulerSays(pod, reason, since, message string) {
	w.Set(apitest.Pods, pod, []any{map[string]any{
		"type": "PodScheduled", "status": "False", "reason": reason, "lastTransitionTime": since, "message": message,
	}}, "status", "conditions")
}

// An unschedulable Pod is reported once the condition lasts.
func TestUnschedulable(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(2))
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.findNoNode("a-w-0", time.Now().UTC().Format(time.RFC3339))
	w.never("it is told at once", func() bool { return w.condition("a", v1.ConditionWaiting) != "" })
	w.findNoNode("a-w-1", longAgo)
	w.conditionBecomes("a", v1.ConditionWaiting, "True because Unschedulable")
	w.warnedOnce("a", "Unschedulable")
	for _, name := range []string{"a-w-0", "a-w-1"} {
		w.Set(apitest.Pods, name, []any{}, "status", "conditions")
		w.RunPod(name)
	}
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
}

// A wait for the end of a Pod or ConfigMap is always reported with its name, and a restarted controller reports the same.
func TestStuckDeletions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ resource, name, reason string }{
		"Pod":       {apitest.Pods, "a-w-0", "PodTerminating"},
		"ConfigMap": {apitest.ConfigMaps, "a-attempt", "ConfigMapTerminating"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.KeepTerminating(true)
			w.KeepGarbage(true)
			w.running("a")
			w.Delete(test.resource, test.name)
			w.never("it is told at once", func() bool { return w.condition("a", v1.ConditionWaiting) != "" })
			w.Set(test.resource, test.name, longAgo, "metadata", "deletionTimestamp")
			w.conditionBecomes("a", v1.ConditionWaiting, "True because "+test.reason)
			w.warnedOnce("a", test.reason)
			w.restart()
			w.never("it is told no more", func() bool {
				return w.condition("a", v1.ConditionWaiting) != "True because "+test.reason || w.warnings("a")[test.reason] > 1
			})
			w.KeepTerminating(false)
			w.KeepGarbage(false)
			w.reaches("a", v1.Completed)
			w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
		})
	}
}

// The garbage collector may miss that the Pods of a ConfigMap are gone. After a minute the controller no longer waits for the
// ConfigMap, unless it owns a Pod that only the API server knows.
func TestGarbageCollectorMissedTheEnd(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.KeepGarbage(true)
	w.running("a")
	for i := range podsAtOnce {
		w.Create(apitest.Pods, foreign(apitest.Pods, fmt.Sprintf("b%d", i)))
	}
	owned := foreign(apitest.Pods, "c") // on the second page of a list
	owned.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: "v1", Kind: "ConfigMap", Name: "a-attempt", UID: w.Get(apitest.ConfigMaps, "a-attempt").GetUID()}})
	w.Create(apitest.Pods, owned)
	w.EndPod("a-w-0", 0)
	w.eventually("only the ConfigMap is left", func() bool {
		return w.state("a") == v1.AttemptDeleting && w.Get(apitest.Pods, "a-w-0") == nil
	})
	lists := len(w.Requests("list pods"))
	w.stop()
	w.startAt(2 * time.Minute)
	w.requested("list pods", lists+2) // caches are filled by watches
	w.never("it goes while it owns a Pod, or that is asked again and again", func() bool {
		return w.Get(apitest.ConfigMaps, "a-attempt") == nil || len(w.Requests("list pods")) > lists+2
	})
	w.stop()
	w.Vanish(apitest.Pods, "c")
	w.startAt(2 * time.Minute)
	w.reaches("a", v1.Completed)
	deletions := w.Requests("delete configmaps a-attempt")
	if last := deletions[len(deletions)-1]; len(deletions) != 2 || last.Body["propagationPolicy"] != "Background" {
		t.Errorf("%d deletions, the last with %v", len(deletions), last.Body)
	}
}

// A Framework without room for its status reports this, by an event at least.
func TestNoRoomForAStatus(t *testing.T) {
	t.Parallel()
	faults := map[string]apitest.Fault{
		"in the storage": apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcdserver: request is too large"),
		"in a request":   apitest.Refuse(http.StatusRequestEntityTooLarge, metav1.StatusReasonRequestEntityTooLarge, "limit is 3145728"),
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			undo := w.Inject(statusWrites, apitest.Always, fault)
			w.start()
			w.create("a")
			w.requested(statusWrites, 3)
			w.warnedOnce("a", "StatusRefused")
			undo()
			w.runs("a")
		})
	}
}

// An ended Framework has no ConfigMap to look up.
func TestEndedFrameworksAreNotConfirmed(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	w.stop()
	before := len(w.Requests("get configmaps a-attempt"))
	w.start()
	w.create("b")
	w.runs("b")
	w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{"a": "b"}) })
	w.never("its ConfigMap is asked for", func() bool { return len(w.Requests("get configmaps a-attempt")) > before })
}
