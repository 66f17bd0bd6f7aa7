package controller

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// News wait behind what the Framework has asked for already, but a Stop or a rescale does not.
func TestChangedSpecDoesNotQueue(t *testing.T) {
	state, err := lifecycle.Load(&v1.FrameworkStatus{
		State:              v1.AttemptCreationPending,
		ObservedGeneration: 1,
		AttemptStatus:      v1.FrameworkAttemptStatus{ConfigMapName: "a-attempt", TaskRoleStatuses: []v1.TaskRoleStatus{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	key := cache.NewObjectName("default", "a")
	for _, test := range []struct {
		name       string
		waiting    bool
		saved      *lifecycle.State
		generation int64
		want       bool
	}{
		{"news", true, state, 1, true},
		{"nothing is waiting", false, state, 1, false},
		{"a changed spec", true, state, 2, false},
		{"a new Framework", true, nil, 1, false},
	} {
		c := &Controller{now: time.Now, queue: newQueue(nil), pool: newPool()}
		defer c.queue.ShutDown()
		if test.waiting {
			c.pool.submit(key, true, wantedJob(func(context.Context) {}))
		}
		r := &record{key: key}
		r.saved, r.framework.Generation = test.saved, test.generation
		if got := c.mayQueue(r); got != test.want {
			t.Errorf("%s: waits: %v", test.name, got)
		}
	}
}

// Which Pods have failed, as far as the watch shows.
func TestFailedPods(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		phase    corev1.PodPhase
		deleting bool
		shown    bool
		want     bool
	}{
		{corev1.PodPending, false, true, false},
		{corev1.PodRunning, false, true, false},
		{corev1.PodRunning, true, true, true},
		{corev1.PodRunning, false, false, true},
		{corev1.PodFailed, false, true, true},
		{corev1.PodFailed, true, false, true},
		{corev1.PodSucceeded, false, true, false},
		{corev1.PodSucceeded, true, true, false},
		{corev1.PodSucceeded, true, false, false},
	} {
		p := &cachedPod{}
		p.Status.Phase = test.phase
		if test.deleting {
			p.DeletionTimestamp = &metav1.Time{}
		}
		if got := failed(p, test.shown); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
	if failed(&corev1.ConfigMap{}, false) {
		t.Error("a ConfigMap has failed")
	}
}

// While most Pods are still to be created, a failure is taken in soon, and what it calls for is done before them.
func TestFailureDoesNotQueue(t *testing.T) {
	w := newWorld(t)
	w.options.RequestsInFlight = 1
	held := make(chan struct{})
	w.Inject("create pods a-w-1", 1, apitest.Fault{Wait: held})
	w.start()
	w.create("a", tasks(50))
	w.requested("create pods a-w-1", 1)
	w.EndPod("a-w-0", 1)
	ended := time.Now()
	w.eventually("the failure is stored", func() bool { return w.task("a", "w", 0).AttemptStatus.CompletionStatus != nil })
	if d := time.Since(ended); d > longestQueue/2 {
		t.Errorf("it took %v", d)
	}
	w.eventually("the deletion waits", func() bool {
		w.c.pool.mu.Lock()
		defer w.c.pool.mu.Unlock()
		return len(w.c.pool.queues[w.key("a")].others) > 0
	})
	close(held)
	deletion, creation := w.requested("delete pods a-w-0", 1)[0].At, w.requested("create pods a-w-2", 1)[0].At
	if creation.Before(deletion) {
		t.Errorf("a Pod was created %v before the failed one was deleted", deletion.Sub(creation))
	}
}
