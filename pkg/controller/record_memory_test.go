package controller

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// Nothing is remembered about deleted Frameworks.
func TestRecordsAreForgotten(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	for i := range 10 {
		w.create(fmt.Sprintf("a%d", i), tasks(2))
	}
	for i := range 10 {
		w.taskReaches(fmt.Sprintf("a%d", i), "w", 1, v1.AttemptPreparing)
	}
	for i := range 10 {
		w.Delete(apitest.Frameworks, fmt.Sprintf("a%d", i))
	}
	w.eventually("all Pods have gone", func() bool { return len(w.List(apitest.Pods)) == 0 })
	time.Sleep(100 * time.Millisecond) // late events
	w.eventually("nothing is remembered", func() bool { return w.recordCount() == 0 })
}

// Little is remembered about the Pods of a completed Framework.
func TestPodsAreForgotten(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(3))
	w.EndPod("a-w-0", 1)
	w.reaches("a", v1.Completed)
	w.stop()
	if n := len(w.c.queue.records.get(w.key("a")).dependents.pods); n != 0 {
		t.Errorf("%d Pods are remembered", n)
	}
}

// A completed Framework may be kept for weeks. Everything that only helped to run it is dropped, even if its status has been
// written once more.
func TestLittleIsKeptOfACompletedFramework(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(w *world){
		"completed": func(*world) {},
		"restored":  restored,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.tampered = true
			w.running("a", tasks(3))
			w.EndPod("a-w-0", 1)
			w.reaches("a", v1.Completed)
			then(w)
			w.stop()
			r := w.c.queue.records.get(w.key("a"))
			if r.builders != nil || r.dependents.pods != nil {
				t.Error("what makes and follows its Pods is kept")
			}
			if !reflect.DeepEqual(r.status.encoder, statusjson.Encoder{}) {
				t.Error("the parts of its status are kept")
			}
		})
	}
}

// restored edits the status of Framework a by hand, and waits until it is restored.
func restored(w *world) {
	want := w.status("a")
	w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) { delete(o.Object, "status") })
	w.eventually("the status is restored", func() bool { return reflect.DeepEqual(w.status("a"), want) })
}

// Its status is still looked after: it is restored, and follows the spec.
func TestCompletedFrameworkIsLookedAfter(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.tampered = true
	w.running("a", tasks(3))
	w.EndPod("a-w-0", 1)
	w.reaches("a", v1.Completed)
	for range 2 {
		restored(w)
	}
	w.Set(apitest.Frameworks, "a", int64(2), "spec", "retryPolicy", "maxRetryCount")
	w.eventually("the status is of the new spec", func() bool {
		return w.status("a").ObservedGeneration == w.Get(apitest.Frameworks, "a").GetGeneration()
	})
	if s := w.status("a"); s.State != v1.Completed || s.AttemptStatus.CompletionStatus.Code != 1 {
		t.Errorf("it is %s with code %d", s.State, s.AttemptStatus.CompletionStatus.Code)
	}
}

// A failed deletion stays known, and so do facts that arrive late.
func TestWhatACompletedFrameworkStillLearns(t *testing.T) {
	t.Parallel()
	r := &record{}
	r.reset("uid", false)
	r.blockers.failures["a"] = failedAction{action: lifecycle.DeleteFramework{}}
	r.releaseMemory()
	if len(r.blockers.failures) != 1 {
		t.Error("the blocker is forgotten")
	}
	delete(r.blockers.failures, "a")
	r.releaseMemory()
	r.blockers.failures["a"] = failedAction{} // nothing below panics
	r.dependents.pod("a-w-0").deletedUID = "uid"
	r.dependents.stalls[lifecycle.TaskRef{}] = waiting.Stall{}
	r.questions.waiting["hints"] = waitingQuestion{}
	r.questions.verdicts[lifecycle.TaskRef{}] = nil
}
