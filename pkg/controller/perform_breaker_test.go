package controller

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// The outcome of a request moves its breaker.
func TestRequestsMoveTheirBreaker(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	p := &performer{now: func() time.Time { return now }}
	b := &flowcontrol.Breaker{}
	send := func(err error) result {
		return p.throughBreaker(t.Context(), &prepared{breaker: b, request: func(context.Context) result { return result{err: err} }})
	}
	openFor := func() time.Duration { return b.OpenUntil().Sub(now) }

	send(errNameTaken)
	if d := openFor(); d != flowcontrol.FirstDelay {
		t.Errorf("open for %v after a failure", d)
	}
	if got := send(nil); !errors.Is(got.err, errHeldBack) {
		t.Errorf("sent through an open breaker: %v", got.err)
	}
	now = b.OpenUntil()
	send(errNameTaken)
	now = b.OpenUntil()
	send(nil)
	send(errNameTaken)
	if d := openFor(); d != flowcontrol.FirstDelay {
		t.Errorf("open for %v after a success and a failure", d)
	}
	now = b.OpenUntil()
	send(&refusedError{})
	if d := openFor(); d > 0 {
		t.Errorf("open for %v after a refusal, which is an answer", d)
	}
}

// After a failure that may concern all requests, one request is sent, and the others only after its answer.
func TestBreakerIsHalfOpen(t *testing.T) {
	t.Parallel()
	quota := errors.New("the quota is used up")
	tests := map[string]struct {
		probe    error
		took     time.Duration
		capacity int
	}{
		"which succeeds":                   {nil, 0, math.MaxInt},
		"which succeeds slowly":            {nil, time.Second, math.MaxInt},
		"which fails":                      {quota, 0, 1},
		"which is refused for good":        {&refusedError{}, 0, math.MaxInt},
		"which is refused for good slowly": {&refusedError{}, time.Second, 1},
		"which finds a name taken":         {errNameTaken, 0, math.MaxInt},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
			p := &performer{now: func() time.Time { return now }}
			b := &flowcontrol.Breaker{}
			send := func(request request) result {
				return p.throughBreaker(t.Context(), &prepared{breaker: b, request: request})
			}
			succeed := func(context.Context) result { return result{} }
			send(func(context.Context) result {
				b.Record(flowcontrol.Failure, false, now)
				return result{} // this one was under way before, and shows nothing
			})
			now = b.OpenUntil()
			if b.Capacity() != 1 {
				t.Errorf("%d more are let through", b.Capacity())
			}
			probe := send(func(context.Context) result {
				if other := send(succeed); !errors.Is(other.err, errHeldBack) || b.Capacity() != 0 {
					t.Errorf("beside the probe another is sent, or %d are let through", b.Capacity())
				}
				now = now.Add(test.took)
				return result{err: test.probe}
			})
			if now = later(now, b.OpenUntil()); !probe.probe || b.Capacity() != test.capacity {
				t.Errorf("after the probe %d more are let through, want %d", b.Capacity(), test.capacity)
			}
		})
	}
}

// All actions that have waited for the answer to the probe are reconsidered once it arrives.
func TestAnswerToTheProbe(t *testing.T) {
	t.Parallel()
	c := atRest(t)
	key := cache.NewObjectName("default", "many")
	r := c.queue.records.get(key)
	r.reset("1", false)
	r.schedule.full, r.dependents.pod("many-w-0").inFlight = false, true
	creation := lifecycle.CreatePod{Task: lifecycle.TaskRef{Role: "w"}}
	c.handleResult(r, result{action: creation, framework: "1", probe: true})
	if !r.schedule.full {
		t.Error("nothing is looked at but the Task of the probe")
	}
}

// While creations wait, since a quota refuses them, deletions do not.
func TestQuotaDoesNotHoldDeletionsBack(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", roles(role("w", 1), role("q", 1)))
		w.Inject("create pods a-q-0", apitest.Always, apitest.Quota())
		w.runs("a")
		w.requested("create pods a-q-0", 3) // the next one follows in 2 s
		ended := time.Now()
		w.EndPod("a-w-0", 0)
		if d := w.requested("delete pods a-w-0", 1)[0].At.Sub(ended); d != 0 {
			w.t.Errorf("the deletion came after %v", d)
		}
	})
}

// Behind a client rate that is set no action hands its slot off.
func TestClientRateDisablesHandoff(t *testing.T) {
	t.Parallel()
	for qps, want := range map[float32]bool{0: false, 80: true} {
		w := newWorld(t)
		w.config.QPS = qps
		c := w.newController(time.Now)
		t.Cleanup(c.reporter.stop)
		if c.performer.pool.DisableHandoff != want {
			t.Errorf("with a rate of %v handoff is disabled: %t", qps, c.performer.pool.DisableHandoff)
		}
	}
}
