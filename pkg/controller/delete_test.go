package controller

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// If another object has the name by the time of a deletion, ours has gone, and the other is left alone.
func TestDeletionFindsAnotherObject(t *testing.T) {
	t.Parallel()
	for resource, name := range map[string]string{apitest.ConfigMaps: "a-attempt", apitest.Pods: "a-w-0"} {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.running("a")
			held := make(chan struct{})
			w.Inject("delete "+resource, 1, apitest.Fault{Wait: held})
			w.EndPod("a-w-0", 0)
			w.requested("delete "+resource, 1)
			w.Hold(resource)
			w.Vanish(resource, name)
			w.Create(resource, foreign(resource, name))
			close(held)
			w.reaches("a", v1.Completed)
			if w.Get(resource, name) == nil {
				t.Error("the other object has gone")
			}
			if q := w.Requests("delete " + resource); len(q) != 1 || q[0].Code != http.StatusConflict {
				t.Errorf("there were %d deletions, the first answered with %d", len(q), q[0].Code)
			}
		})
	}
}

// A new Framework with the name of an expired one is not deleted in its place.
func TestDeletionFindsAnotherFramework(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.slow = true
	held := make(chan struct{})
	w.Inject("delete frameworks", 1, apitest.Fault{Wait: held})
	w.running("a", func(s *v1.FrameworkSpec) { s.TTLSecondsAfterFinished = new(int32) })
	w.EndPod("a-w-0", 0)
	w.requested("delete frameworks", 1)
	w.Vanish(apitest.Frameworks, "a")
	w.create("a")
	uid := w.Get(apitest.Frameworks, "a").GetUID()
	close(held)
	w.eventually("the deletion is answered", func() bool { return w.Requests("delete frameworks")[0].Code != 0 })
	if code := w.Requests("delete frameworks")[0].Code; code != http.StatusConflict {
		t.Errorf("the deletion was answered with %d", code)
	}
	if f := w.Get(apitest.Frameworks, "a"); f == nil || f.GetUID() != uid || f.GetDeletionTimestamp() != nil {
		t.Fatalf("the new Framework is deleted")
	}
	w.runs("a")
}

// A failed deletion is retried, and its blocker is forgotten once it succeeds.
func TestFailedDeletion(t *testing.T) {
	t.Parallel()
	faults := map[string]apitest.Fault{
		"internal error": apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "oh"),
		"connection":     apitest.DropConnection,
		"answer lost":    apitest.LoseAnswer,
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.create("a", roles(role("w", 1), role("x", 1)))
			w.runs("a")
			w.Inject("delete pods a-w-0", 1, fault)
			w.EndPod("a-w-0", 0)
			w.taskReaches("a", "w", 0, v1.Completed)
			w.taskReaches("a", "x", 0, v1.AttemptPreparing)
			w.eventually("nothing is waited for", func() bool {
				c := w.condition("a", v1.ConditionWaiting)
				return c == "" || c == "False because NothingInTheWay"
			})
			w.EndPod("a-x-0", 0)
			w.reaches("a", v1.Completed)
		})
	}
}

// Deletions that fail do not keep the others behind them from their turn.
func TestFailedDeletionsDoNotStarveOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.RequestsInFlight = 2
	fault := apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "oh")
	pods := []string{"a-q-0", "a-q-1", "a-q-2"}
	for _, pod := range pods {
		w.Inject("delete pods "+pod, apitest.Always, fault)
	}
	w.start()
	w.create("a", roles(role("q", 3), role("w", 1)))
	w.runs("a")
	for _, pod := range append(pods, "a-w-0") {
		w.eventually(pod, func() bool { return w.Get(apitest.Pods, pod) != nil })
		w.EndPod(pod, 0)
	}
	w.taskReaches("a", "w", 0, v1.Completed)
}

// A failed question no longer blocks anything once it need not be asked.
func TestFailedRead(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.stop()
	w.HoldAt(apitest.Pods, 1)
	w.Inject("get pods", apitest.Always, apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "oh"))
	w.start()
	w.conditionBecomes("a", v1.ConditionWaiting, "True because InternalError")
	w.Release(apitest.Pods)
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
}

// Anybody who deletes the ConfigMap ends the attempt.
func TestConfigMapDeletedByOthers(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.KeepTerminating(true)
	w.running("a")
	w.Delete(apitest.ConfigMaps, "a-attempt")
	w.reaches("a", v1.AttemptDeleting)
	w.StopPod("a-w-0")
	w.reaches("a", v1.Completed)
	w.requireCode("a", -100)
}

func TestPodDeletedByOthers(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.KeepTerminating(true)
	w.running("a")
	w.Delete(apitest.Pods, "a-w-0")
	w.taskReaches("a", "w", 0, v1.AttemptDeleting)
	w.StopPod("a-w-0")
	w.reaches("a", v1.Completed)
	w.requireTaskCode("a", -101)
}
