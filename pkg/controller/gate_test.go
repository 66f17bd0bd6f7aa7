package controller

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

func TestGate(t *testing.T) {
	t.Parallel()
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	g := &gate{}
	if !g.opens().IsZero() {
		t.Error("a new gate is not open")
	}
	now := start
	for _, want := range []float64{0.5, 1, 2, 4, 5, 5} {
		g.failed(now)
		g.failed(now) // was under way, and counts once
		if got := g.opens().Sub(now).Seconds(); got != want {
			t.Errorf("closed for %v s, want %v", got, want)
		}
		now = g.opens()
	}
	g.succeeded()
	g.failed(now)
	if got := g.opens().Sub(now); got != firstDelay {
		t.Errorf("closed for %v after a success, want %v", got, firstDelay)
	}
}

// What becomes of a request moves its gate.
func TestRequestsMoveTheirGate(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	p := &performer{now: func() time.Time { return now }}
	g := &gate{}
	send := func(err error) result {
		return p.throughBreaker(t.Context(), &prepared{breaker: g, request: func(context.Context) result { return result{err: err} }})
	}
	closedFor := func() time.Duration { return g.opens().Sub(now) }

	send(errNameTaken)
	if d := closedFor(); d != firstDelay {
		t.Errorf("closed for %v after a failure", d)
	}
	if got := send(nil); !errors.Is(got.err, errHeldBack) {
		t.Errorf("sent through a closed gate: %v", got.err)
	}
	now = g.opens()
	send(errNameTaken)
	now = g.opens()
	send(nil)
	send(errNameTaken)
	if d := closedFor(); d != firstDelay {
		t.Errorf("closed for %v after a success and a failure", d)
	}
	now = g.opens()
	send(&refusedError{})
	if d := closedFor(); d > 0 {
		t.Errorf("closed for %v after a refusal, which is an answer", d)
	}
}

// A success of something that was under way before does not open a closed gate.
func TestGateStaysClosed(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	g := &gate{}
	g.failed(now)
	g.succeeded()
	if got := g.opens().Sub(now); got != firstDelay {
		t.Errorf("closed for %v, want %v", got, firstDelay)
	}
}

// After a failure that may be that of all, one is sent, and the others only after its answer.
func TestGateIsHalfOpen(t *testing.T) {
	t.Parallel()
	quota := errors.New("the quota is used up")
	tests := map[string]struct {
		probe error
		room  int
	}{
		"which succeeds":            {nil, math.MaxInt},
		"which fails":               {quota, 1},
		"which is refused for good": {&refusedError{}, math.MaxInt},
		"which finds a name taken":  {errNameTaken, math.MaxInt},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
			p := &performer{now: func() time.Time { return now }}
			g := &gate{}
			send := func(request request) result {
				return p.throughBreaker(t.Context(), &prepared{breaker: g, request: request})
			}
			succeed := func(context.Context) result { return result{} }
			send(func(context.Context) result {
				g.leave(result{err: quota}, now)
				return result{} // which was under way before, and shows nothing
			})
			now = g.opens()
			if g.room() != 1 {
				t.Errorf("there is room for %d", g.room())
			}
			probe := send(func(context.Context) result {
				if other := send(succeed); !errors.Is(other.err, errHeldBack) || g.room() != 0 {
					t.Errorf("beside the probe another is sent, or there is room for %d", g.room())
				}
				return result{err: test.probe}
			})
			if now = g.opens(); !probe.probe || g.room() != test.room {
				t.Errorf("after the probe there is room for %d, want %d", g.room(), test.room)
			}
		})
	}
}

// Whatever has waited for the answer to the probe is looked at once that is there.
func TestAnswerToTheProbe(t *testing.T) {
	t.Parallel()
	c := atRest(t)
	r := c.queue.records.get(many)
	r.reset("1", false)
	r.schedule.full, r.dependents.pod("many-w-0").inFlight = false, true
	creation := lifecycle.CreatePod{Task: lifecycle.TaskRef{Role: "w"}}
	c.handleResult(r, result{action: creation, framework: "1", probe: true})
	if !r.schedule.full {
		t.Error("nothing is looked at but the Task of the probe")
	}
}
