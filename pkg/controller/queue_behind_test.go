package controller

import (
	"context"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// News wait behind what the Framework has asked for already, but a Stop or a rescale does not.
func TestChangedSpecDoesNotQueue(t *testing.T) {
	state := pendingState(t)
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
			c.pool.submit(key, func(context.Context) {})
		}
		r := &record{key: key}
		r.saved, r.framework.Generation = test.saved, test.generation
		if got := c.mayQueue(r); got != test.want {
			t.Errorf("%s: waits: %v", test.name, got)
		}
	}
}

// A change that nothing depends on waits for its turn among the actions of others, and is not overtaken for ever.
func TestIdleWriteQueues(t *testing.T) {
	saved := pendingState(t)
	next := lifecycle.Output{State: pendingState(t)}
	key := cache.NewObjectName("default", "a")
	now := time.Now()
	c := &Controller{now: func() time.Time { return now }, queue: newQueue(nil), pool: newPool(), records: newRecords()}
	defer c.queue.ShutDown()
	r := c.records.get(key)
	r.saved = saved
	waits := func(dependents int) bool {
		c.hear(r)
		return c.mayWait(r, next, dependents)
	}
	check := func(when string, got, want bool) {
		t.Helper()
		if got != want {
			t.Errorf("%s: waits: %v", when, got)
		}
	}
	busy := func(context.Context) {}

	waits(0) // for company
	now = now.Add(coalesce)
	check("with no actions waiting", waits(0), false)
	c.pool.submit(many, busy)
	check("behind an action", waits(0), true)
	check("behind it still", waits(0), true)
	check("when an action depends on it", waits(1), false)
	check("of a Framework without actions, the next round", c.mayQueue(r), false)

	c.pool.submit(few, func(context.Context) { c.pool.close() })
	c.pool.run(t.Context(), 1)
	c.pool = newPool()
	c.pool.submit(many, busy)
	check("after its turn", waits(0), false)
}

// However long the actions of others take, what there is to tell is told.
func TestIdleWriteDoesNotQueueForEver(t *testing.T) {
	now := time.Now()
	c := &Controller{now: func() time.Time { return now }, queue: newQueue(nil), pool: newPool()}
	defer c.queue.ShutDown()
	c.pool.submit(many, func(context.Context) {})
	r := &record{key: cache.NewObjectName("default", "a")}
	r.saved = pendingState(t)
	next := lifecycle.Output{State: pendingState(t)}
	start := now
	for ; c.mayWait(r, next, 0); now = now.Add(time.Millisecond) {
	}
	if waited := now.Sub(start); waited != longestQueue {
		t.Errorf("waited for %s", waited)
	}
}

// pendingState returns another state each time, although all say the same.
func pendingState(t *testing.T) *lifecycle.State {
	t.Helper()
	state, err := lifecycle.Load(&v1.FrameworkStatus{
		State:              v1.AttemptCreationPending,
		ObservedGeneration: 1,
		AttemptStatus:      v1.FrameworkAttemptStatus{ConfigMapName: "a-attempt", TaskRoleStatuses: []v1.TaskRoleStatus{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return state
}
