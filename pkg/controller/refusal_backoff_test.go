package controller

import (
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

var invalid = apitest.Refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "we do not like it")

// Refusals in a row hold the next creation back for longer and longer, until one succeeds.
func TestRefusalsInARow(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	var s refusals
	refusedAgain := func(want ...float64) {
		t.Helper()
		for i, seconds := range want {
			s.record(result{err: &refusedError{}}, now)
			if got := max(s.backoff.Until().Sub(now).Seconds(), 0); got != seconds {
				t.Errorf("refusal %d: the next one waits for %v s, want %v", i, got, seconds)
			}
		}
	}
	refusedAgain(0, 0.5, 1, 2, 4, 5, 5)
	s.record(result{err: errNameTaken}, now)
	refusedAgain(5)
	s.record(result{}, now)
	refusedAgain(0, 0.5)
}

// What is refused for good and retried without limit is retried at once, as the policy says. But the Pod of the retry is
// not sent at once each time. A change of the spec ends the wait.
func TestRefusedAndRetriedForEver(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		edit    func(*v1.FrameworkSpec)
		retries func(w *world) int32
	}{
		"Task":      {taskRetries(v1.RetryOnFailure), func(w *world) int32 { return w.task("a", "w", 0).RetryPolicyStatus.TotalRetriedCount }},
		"Framework": {frameworkRetries(v1.RetryAlways), func(w *world) int32 { return w.status("a").RetryPolicyStatus.TotalRetriedCount }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.start()
				undo := w.Inject("create pods", apitest.Always, invalid)
				w.create("a", test.edit)
				tries := w.requested("create pods", 5)
				for i, wait := range []time.Duration{flowcontrol.FirstDelay, 2 * flowcontrol.FirstDelay, 4 * flowcontrol.FirstDelay} {
					if gap := tries[i+2].At.Sub(tries[i+1].At); gap < wait {
						w.t.Errorf("try %d came %v after the one before, want at least %v", i+2, gap, wait)
					}
				}
				w.eventually("the next attempt", func() bool { return test.retries(w) == 5 })
				w.requireRequests("create pods", 5) // by the time attempt 5 begins
				undo()
				w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) {
					_ = unstructured.SetNestedField(o.Object, int64(7), "spec", "retryPolicy", "maxRetryCount")
				})
				w.runs("a")
			})
		})
	}
}

// What was refused may be accepted with another spec.
func TestAnotherSpecForgetsRefusals(t *testing.T) {
	t.Parallel()
	c := atRest(t)
	r := c.queue.records.get(cache.NewObjectName("default", "many"))
	r.reset("1", false)
	spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{role("w", 1)}}
	f := r.dependents.pod("many-w-0")
	for generation, want := range map[int64]bool{1: true, 2: false} {
		r.setSpec(&metav1.ObjectMeta{Name: "many", Generation: 1}, spec)
		f.creation.refusals.add(c.now())
		f.creation.refusals.add(c.now())
		r.setSpec(&metav1.ObjectMeta{Name: "many", Generation: generation}, spec)
		if f.creation.refusals.any != want {
			t.Errorf("generation %d: refusals are known: %t", generation, f.creation.refusals.any)
		}
	}
}
