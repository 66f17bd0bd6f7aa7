package controller

import (
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
