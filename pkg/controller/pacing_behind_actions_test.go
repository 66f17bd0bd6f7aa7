package controller

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// Changes wait behind the actions already requested by the Framework, but a stop, a rescale or the end of a ConfigMap does not.
func TestChangedSpecDoesNotQueue(t *testing.T) {
	state, err := lifecycle.Load(&v1.FrameworkStatus{
		State:              v1.AttemptCreationPending,
		ObservedGeneration: 1,
		AttemptStatus:      v1.FrameworkAttemptStatus{ConfigMapName: "a-attempt", TaskRoleStatuses: []v1.TaskRoleStatus{}},
	})
	require.NoError(t, err)
	key := cache.NewObjectName("default", "a")
	for _, test := range []struct {
		name       string
		waiting    bool
		saved      *lifecycle.State
		generation int64
		over       bool
		want       bool
	}{
		{"news", true, state, 1, false, true},
		{"nothing is waiting", false, state, 1, false, false},
		{"a changed spec", true, state, 2, false, false},
		{"a new Framework", true, nil, 1, false, false},
		{"a ConfigMap that goes", true, state, 1, true, false},
	} {
		c := &Controller{now: time.Now, queue: newRoundQueue(nil, false), performer: &performer{pool: flowcontrol.NewPool()}}
		defer c.queue.ShutDown()
		if test.waiting {
			c.performer.pool.Submit(key, true, flowcontrol.Job{})
		}
		r := &record{key: key}
		r.status.saved, r.framework.Generation, r.schedule.configMapGoes = test.saved, test.generation, test.over
		if got := c.deferBehindActions(r); got != test.want {
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
		p := &podview.CachedPod{}
		p.Status.Phase = test.phase
		if test.deleting {
			p.DeletionTimestamp = &metav1.Time{}
		}
		if got := podFailed(p, test.shown); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
	if podFailed(&corev1.ConfigMap{}, false) {
		t.Error("a ConfigMap has failed")
	}
}

// Which ConfigMaps may mean the end of their attempt, as far as the watch shows. Pods do not.
func TestConfigMapsThatGo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ deleting, shown, want bool }{
		{false, true, false},
		{true, true, true},
		{false, false, true},
		{true, false, true},
	} {
		var m metav1.ObjectMeta
		if test.deleting {
			m.DeletionTimestamp = &metav1.Time{}
		}
		if got := configMapGoes(&corev1.ConfigMap{ObjectMeta: m}, test.shown); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
		if configMapGoes(&podview.CachedPod{Pod: corev1.Pod{ObjectMeta: m}}, test.shown) {
			t.Errorf("%+v: a Pod", test)
		}
	}
}

// creationsBehind are the creations of 50 Pods that wait behind the second.
const creationsBehind = 50 - 2

// While most Pods are still to be created, a failure is noticed soon, and its consequences precede the creations.
func TestFailureDoesNotQueue(t *testing.T) {
	inBubble(t, func(w *world) {
		w.options.RequestsInFlight = 1
		held := make(chan struct{})
		w.Inject("create pods a-w-1", 1, apitest.Fault{Wait: held})
		w.start()
		w.create("a", tasks(50))
		w.requested("create pods a-w-1", 1)
		w.EndPod("a-w-0", 1)
		ended := time.Now()
		w.eventually("the failure is stored", func() bool { return w.task("a", "w", 0).AttemptStatus.CompletionStatus != nil })
		if d := time.Since(ended); d > longestCooldown {
			w.t.Errorf("it took %v", d)
		}
		w.eventually("the deletion waits", func() bool { return w.c.Load().Queued > creationsBehind })
		close(held)
		deletion, creation := w.requested("delete pods a-w-0", 1)[0].At, w.requested("create pods a-w-2", 1)[0].At
		if creation.Before(deletion) {
			w.t.Errorf("a Pod was created %v before the failed one was deleted", deletion.Sub(creation))
		}
	})
}

// Nor does the end of the ConfigMap that would own them: they would have to be deleted again.
func TestEndOfConfigMapDoesNotQueue(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){
		"terminates": func(w *world) { w.Delete(apitest.ConfigMaps, "a-attempt") },
		"vanishes":   func(w *world) { w.Vanish(apitest.ConfigMaps, "a-attempt") },
		"vanishes terminating": func(w *world) {
			w.DeleteForeground(apitest.ConfigMaps, "a-attempt")
			w.Vanish(apitest.ConfigMaps, "a-attempt")
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.options.RequestsInFlight = 1
				first, second := make(chan struct{}), make(chan struct{})
				w.Inject("create pods a-w-1", 1, apitest.Fault{Wait: first})
				w.Inject("create pods a-w-2", 1, apitest.Fault{Wait: second})
				w.start()
				w.KeepGarbage(true)
				w.create("a", tasks(50))
				w.requested("create pods a-w-1", 1)
				began := time.Now()
				end(w)
				knows := func() bool { return w.state("a") != v1.AttemptPreparing }
				asks := func() bool { return w.c.Load().Queued > creationsBehind }
				w.eventually("the end is stored, or the ConfigMap to be asked for", func() bool { return knows() || asks() })
				close(first)
				w.eventually("the end is stored", knows)
				if d := time.Since(began); d > longestCooldown {
					w.t.Errorf("it took %v", d)
				}
				time.Sleep(200 * time.Millisecond) // the controller needs to see that it terminates
				close(second)
				w.never("another creation", func() bool { return len(w.Requests("create pods")) > 3 })
			})
		})
	}
}
