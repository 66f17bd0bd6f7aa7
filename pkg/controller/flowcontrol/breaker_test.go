package flowcontrol

import (
	"testing"
	"time"
)

func TestBreaker(t *testing.T) {
	t.Parallel()
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	b := &Breaker{}
	if !b.OpenUntil().IsZero() {
		t.Error("a new breaker is open")
	}
	now := start
	for _, want := range []float64{0.5, 1, 2, 4, 5, 5} {
		b.Record(LoneFailure, false, now)
		b.Record(LoneFailure, false, now) // this one was under way, and counts once
		if got := b.OpenUntil().Sub(now).Seconds(); got != want {
			t.Errorf("open for %v s, want %v", got, want)
		}
		now = b.OpenUntil()
	}
	b.Record(Success, false, now)
	b.Record(LoneFailure, false, now)
	if got := b.OpenUntil().Sub(now); got != FirstDelay {
		t.Errorf("open for %v after a success, want %v", got, FirstDelay)
	}
}

// A success of a request that was already under way does not close an open breaker.
func TestBreakerStaysOpen(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	b := &Breaker{}
	b.Record(LoneFailure, false, now)
	b.Record(Success, false, now)
	if got := b.OpenUntil().Sub(now); got != FirstDelay {
		t.Errorf("open for %v, want %v", got, FirstDelay)
	}
}
