package controller

import (
	"net/http"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

const statusWrites = "update frameworks/status"

// failWrites fails the next `times` writes of a status that matches like, and returns the number of such writes.
func (w *world) failWrites(times int64, like func(*v1.FrameworkStatus) bool, how apitest.Fault) *atomic.Int64 {
	var came atomic.Int64
	w.Judge(func(q apitest.Request) apitest.Fault {
		if q.Verb == "update" && q.Resource == apitest.Frameworks+"/status" &&
			like(decodedStatus(&unstructured.Unstructured{Object: q.Body})) && came.Add(1) <= times {
			return how
		}
		return apitest.Fault{}
	})
	return &came
}

// While the status cannot be stored, none of its actions is performed; once it can, the Framework continues.
func TestFailedStatusWrite(t *testing.T) {
	t.Parallel()
	faults := map[string]apitest.Fault{
		"conflict":          apitest.Refuse(http.StatusConflict, metav1.StatusReasonConflict, "modified"),
		"too many requests": apitest.Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slow down"),
		"forbidden":         apitest.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "no"),
		"invalid":           apitest.Refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "no"),
		"internal error":    apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "oh"),
		"timeout":           apitest.Refuse(http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "late"),
		"connection reset":  apitest.DropConnection,
		"answer lost":       apitest.LoseAnswer,
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Inject(statusWrites, 3, fault)
			w.start()
			w.running("a")
			w.Inject(statusWrites, 2, fault)
			w.EndPod("a-w-0", 0)
			w.reaches("a", v1.Completed)
			w.requireNotOverwritten("a")
		})
	}
}

// A write that took effect although its answer was lost is known again: it is not written once more.
func TestStatusWriteWithLostAnswer(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.Inject(statusWrites, 1, apitest.LoseAnswer)
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)

	writes := w.Requests(statusWrites)
	for i := range writes[1:] {
		if reflect.DeepEqual(writes[i].Body["status"], writes[i+1].Body["status"]) {
			t.Errorf("write %d repeats the one before", i+1)
		}
	}
	w.requireNotOverwritten("a")
}

// client-go repeats some writes by itself. The repeated request then fails because the first one took effect.
func TestStatusWriteRepeatedByTheClient(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.Inject(statusWrites, 1, apitest.Fault{Instead: apitest.Unreachable(1)})
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	w.requireNotOverwritten("a")
}

// A write may take effect only after the object was read again. It is still our own.
func TestStatusWriteThatIsLate(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.endsWithLateWrite(apitest.Fault{}, func() {
		w.Inject("get frameworks", 1, apitest.Fault{Wait: after(100 * time.Millisecond)})
	})
}

// endsWithLateWrite runs a Framework whose first status write of its end takes effect late: after the second, different one was
// sent, and before it is answered as the fault specifies. prepare is called while the Framework runs.
func (w *world) endsWithLateWrite(second apitest.Fault, prepare func()) {
	w.t.Helper()
	w.create("a", tasks(2))
	w.runs("a")
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	late, answered := make(chan struct{}), make(chan struct{})
	before := len(w.Requests(statusWrites))
	second.Wait = answered
	w.Inject(statusWrites, 1, apitest.Fault{Late: late})
	w.Inject(statusWrites, 1, second)
	prepare()
	w.EndPod("a-w-0", 0)
	w.requested(statusWrites, before+1)
	w.EndPod("a-w-1", 0) // so that the second write is not the same
	w.requested(statusWrites, before+2)
	version := w.Get(apitest.Frameworks, "a").GetResourceVersion()
	close(late)
	w.eventually("the late write", func() bool { return w.Get(apitest.Frameworks, "a").GetResourceVersion() != version })
	close(answered)
	w.reaches("a", v1.Completed)
	w.requireNotOverwritten("a")
}

// after is closed after that time.
func after(d time.Duration) <-chan struct{} {
	c := make(chan struct{})
	time.AfterFunc(d, func() { close(c) })
	return c
}

// An edit of the spec during a status write makes the write fail. The next round knows the new spec.
func TestSpecEditedConcurrently(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	held := make(chan struct{})
	before := len(w.Requests(statusWrites))
	w.Inject(statusWrites, 1, apitest.Fault{Wait: held})
	w.EndPod("a-w-0", 0)
	w.requested(statusWrites, before+1)
	w.respec("a", tasks(2))
	close(held)
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.taskReaches("a", "w", 0, v1.Completed)
	if writes := w.Requests(statusWrites); writes[before].Code != http.StatusConflict {
		t.Errorf("the write was answered with %d", writes[before].Code)
	}
	if lines := w.log.lines("[WARN]"); len(lines) != 0 {
		t.Errorf("a conflict was logged as something unusual: %v", lines)
	}
}

// While a controller runs, its own last status counts.
func TestStatusEditedByHand(t *testing.T) {
	t.Parallel()
	edits := map[string]func(o *unstructured.Unstructured){
		"state":  func(o *unstructured.Unstructured) { o.Object["status"].(map[string]any)["state"] = "Completed" },
		"type":   func(o *unstructured.Unstructured) { o.Object["status"].(map[string]any)["startTime"] = int64(1) },
		"null":   func(o *unstructured.Unstructured) { o.Object["status"] = nil },
		"absent": func(o *unstructured.Unstructured) { delete(o.Object, "status") },
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.tampered = true
			w.running("a")
			want := w.status("a")
			w.Edit(apitest.Frameworks, "a", edit)
			w.eventually("the status is restored", func() bool { return reflect.DeepEqual(w.status("a"), want) })
			w.warnedOnce("a", "StatusOverwritten")
			w.EndPod("a-w-0", 0)
			w.reaches("a", v1.Completed)
		})
	}
}

// An original controller started beside this one installs its own CRD, which has no status subresource.
func TestSubresourceLost(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.errorsExpected = true
	w.running("a")
	w.Edit(apitest.CRDs, v1.CRDName, func(o *unstructured.Unstructured) {
		o.Object["spec"] = map[string]any{"versions": []any{map[string]any{"name": "v1"}}}
	})
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	w.requireRequests("patch customresourcedefinitions", 2)
	if lines := w.log.lines("[ERROR]"); len(lines) != 1 {
		t.Errorf("errors logged: %v", lines)
	}
}

// If a Framework vanishes while its status is being written, nothing is reported.
func TestFrameworkGoneDuringStatusWrite(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	held := make(chan struct{})
	before := len(w.Requests(statusWrites))
	w.Inject(statusWrites, 1, apitest.Fault{Wait: held})
	w.EndPod("a-w-0", 0)
	w.requested(statusWrites, before+1)
	w.Delete(apitest.Frameworks, "a")
	close(held)
	w.eventually("the record is forgotten", func() bool { return w.recordCount() == 0 })
	if lines := w.log.lines("[WARN]"); len(lines) != 0 {
		t.Errorf("logged: %v", lines)
	}
}

// The same if another Framework has the name by then: it has a status subresource, like all.
func TestFrameworkMadeAnewDuringStatusWrite(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	held := make(chan struct{})
	before := len(w.Requests(statusWrites))
	gone := apitest.Refuse(http.StatusNotFound, metav1.StatusReasonNotFound, "not found")
	gone.Wait = held
	w.Inject(statusWrites, 1, gone)
	w.EndPod("a-w-0", 0)
	w.requested(statusWrites, before+1)
	w.Delete(apitest.Frameworks, "a")
	w.create("a")
	close(held)
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	if lines := w.log.lines("[ERROR]"); len(lines) != 0 {
		t.Errorf("logged: %v", lines)
	}
	w.requireRequests("patch customresourcedefinitions", 1)
}

// The only existing objects ever updated are statuses of Frameworks. All other objects are only created or deleted.
func TestOnlyStatusesAreWritten(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", taskRetries(1), func(s *v1.FrameworkSpec) { s.TTLSecondsAfterFinished = new(int32) })
	w.EndPod("a-w-0", 1)
	w.eventually("the second attempt has a Pod", func() bool {
		pod := w.Get(apitest.Pods, "a-w-0")
		return pod != nil && pod.GetAnnotations()[v1.KeyTaskAttemptID] == "1"
	})
	w.EndPod("a-w-0", 0)
	w.eventually("the Framework has gone", func() bool { return w.Get(apitest.Frameworks, "a") == nil })
	for _, verb := range []string{"update", "patch"} {
		for _, q := range w.Requests(verb) {
			if q.Resource != apitest.Frameworks+"/status" && q.Resource != apitest.CRDs && q.Resource != apitest.Events {
				t.Errorf("there was a request to %s", q.String())
			}
		}
	}
	if len(w.Requests(statusWrites)) == 0 {
		t.Error("no status was written")
	}
}
