package controller

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// slowCreation begins a Framework of two Tasks. The API server takes its time with the second of their Pods, until arrive
// is called.
func slowCreation(t *testing.T, edits ...func(*v1.FrameworkSpec)) (w *world, arrive func()) {
	t.Parallel()
	w = startWorld(t)
	held := make(chan struct{})
	w.Inject("create pods a-w-1", 1, apitest.Fault{Wait: held})
	w.create("a", append(edits, tasks(2))...)
	w.requested("create pods", 2)
	w.eventually("the other Pod exists", func() bool { return len(w.List(apitest.Pods)) == 1 })
	return w, func() { close(held) }
}

// The garbage collector looks for Pods once: a Pod created later would outlive its attempt.
func TestConfigMapIsNotDeletedDuringCreations(t *testing.T) {
	w, arrive := slowCreation(t)
	w.stopFramework("a")
	w.reaches("a", v1.AttemptDeletionPending)
	w.never("the ConfigMap is deleted", func() bool { return len(w.Requests("delete configmaps")) > 0 })
	arrive()
	w.reaches("a", v1.Completed)
	if left := w.List(apitest.Pods); len(left) > 0 {
		t.Errorf("%d Pods are left of a completed Framework", len(left))
	}
}

// When others delete the ConfigMap, its Pods are deleted with it, except Pods created afterwards.
func TestAttemptDoesNotEndDuringCreations(t *testing.T) {
	w, arrive := slowCreation(t, func(s *v1.FrameworkSpec) { s.RetryPolicy.MaxRetryCount = 1 })
	w.Vanish(apitest.ConfigMaps, "a-attempt")
	w.reaches("a", v1.AttemptDeleting)
	w.never("the attempt ends", func() bool { return w.state("a") != v1.AttemptDeleting })
	w.KeepGarbage(true) // the late Pod is seen to, whether the garbage collector is slow or not
	arrive()
	w.eventually("the next attempt has its Pods", func() bool {
		return w.status("a").AttemptStatus.ID == 1 && len(w.List(apitest.Pods)) == 2
	})
	if late, next := w.requested("delete pods", 1)[0], w.requested("create configmaps", 2)[1]; late.At.After(next.At) {
		t.Error("the next attempt has begun beside a Pod of the one before")
	}
}

// The same, while the watch has not shown the late Pod yet.
func TestAttemptDoesNotEndBeforeItsPodsAreSeen(t *testing.T) {
	w, arrive := slowCreation(t, func(s *v1.FrameworkSpec) { s.RetryPolicy.MaxRetryCount = 1 })
	w.Vanish(apitest.ConfigMaps, "a-attempt")
	w.reaches("a", v1.AttemptDeleting)
	w.KeepGarbage(true)
	w.eventually("the other Pod is gone", func() bool { return len(w.List(apitest.Pods)) == 0 })
	w.Hold(apitest.Pods)
	arrive()
	late := w.requested("delete pods", 1)[0]
	w.Release(apitest.Pods)
	if next := w.requested("create configmaps", 2)[1]; late.At.After(next.At) {
		t.Error("the next attempt has begun beside a Pod of the one before")
	}
}

// The same, when the answer to the creation was lost: the Pod may exist. If the next request is declined before anybody has
// looked at its name, that does not show that there is no Pod.
func TestAttemptDoesNotEndAfterAnUndecidedCreation(t *testing.T) {
	t.Parallel()
	secondTries := map[string]struct {
		fault   apitest.Fault
		waiting string
	}{
		"answered":          {apitest.Fault{}, ""},
		"exceeds the quota": {apitest.Quota(), "True because Forbidden"},
		"too many requests": {apitest.Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "later"), "True because TooManyRequests"},
	}
	for name, test := range secondTries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.Hold(apitest.Pods)
			w.Inject("create pods", 1, apitest.LoseAnswer)
			undo := w.Inject("create pods", apitest.Always, test.fault)
			w.create("a", func(s *v1.FrameworkSpec) { s.RetryPolicy.MaxRetryCount = 1 })
			w.requested("create pods", 1)
			if test.waiting != "" {
				w.conditionBecomes("a", v1.ConditionWaiting, test.waiting)
			}
			w.KeepGarbage(true)
			w.Vanish(apitest.ConfigMaps, "a-attempt")
			w.reaches("a", v1.AttemptDeleting)
			w.never("the attempt ends", func() bool { return w.state("a") != v1.AttemptDeleting })
			undo()
			w.Release(apitest.Pods)
			late := w.requested("delete pods", 1)[0]
			if next := w.requested("create configmaps", 2)[1]; late.At.After(next.At) {
				t.Error("the next attempt has begun beside a Pod of the one before")
			}
		})
	}
}

// The same, when the second request is never sent, as the Framework was stopped meanwhile.
func TestAttemptDoesNotEndAfterATryThatWasNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.slow = true
	w.options.RequestsInFlight = 1
	late, held := make(chan struct{}), make(chan struct{})
	w.Inject("create pods a-w-0", 1, apitest.Fault{Late: late})
	w.Inject("create pods a-w-1", 1, apitest.Fault{Wait: held})
	w.start()
	w.create("a", tasks(2))
	w.requested("create pods a-w-1", 1) // the second attempt waits behind it
	w.stopFramework("a")
	w.eventually("the controller knows", func() bool { return len(w.log.lines("to=AttemptDeletionPending")) > 0 })
	close(held)
	w.never("the ConfigMap is deleted", func() bool { return len(w.Requests("delete configmaps")) > 0 })
	close(late)
	w.eventually("the late Pod", func() bool { return w.made(apitest.Pods, "a-w-0") > 0 })
	w.reaches("a", v1.Completed)
	w.requireRequests("create pods a-w-0", 1)
	if left := w.List(apitest.Pods); len(left) > 0 {
		t.Errorf("%d Pods are left of a completed Framework", len(left))
	}
}

// A Pod that was seen terminating by an answer only, and is gone before a watch could show it, holds up nothing.
func TestAttemptEndsAfterAPodThatNoWatchHasShown(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Hold(apitest.Pods)
	w.Inject("create pods", 1, apitest.LoseAnswer)
	w.create("a", func(s *v1.FrameworkSpec) { s.RetryPolicy.MaxRetryCount = 1 })
	w.eventually("the Pod exists", func() bool { return len(w.List(apitest.Pods)) == 1 })
	w.RunPod("a-w-0")
	w.KeepTerminating(true)
	w.Delete(apitest.Pods, "a-w-0")
	w.requested("create pods", 2) // it finds the name taken
	w.eventually("the Pod has been read", func() bool {
		reads := w.Requests("get pods")
		return len(reads) > 0 && reads[0].Code != 0
	})
	w.KeepGarbage(true)
	w.Vanish(apitest.ConfigMaps, "a-attempt")
	w.reaches("a", v1.AttemptDeleting)
	w.Vanish(apitest.Pods, "a-w-0")
	w.Compact()
	w.BreakWatches()
	w.Release(apitest.Pods)
	w.eventually("the next attempt has its Pod", func() bool {
		return w.status("a").AttemptStatus.ID == 1 && len(w.List(apitest.Pods)) == 1
	})
}
