package controller

import (
	"context"
	"errors"
	"testing"
	"time"
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
	c := &Controller{now: func() time.Time { return now }}
	g := &gate{}
	send := func(err error) result {
		return c.performGated(t.Context(), many, g, func(context.Context) result { return result{err: err} })
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
