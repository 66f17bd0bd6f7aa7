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
			c.pool.submit(key, func(context.Context) {})
		}
		r := &record{key: key}
		r.saved, r.framework.Generation = test.saved, test.generation
		if got := c.mayQueue(r); got != test.want {
			t.Errorf("%s: waits: %v", test.name, got)
		}
	}
}
