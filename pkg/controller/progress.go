package controller

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
)

// timed is a round whose progress is followed.
func (c *Controller) timed(ctx context.Context, key cache.ObjectName) error {
	start := time.Now()
	c.vitals.rounds.Begin(key, start)
	defer c.vitals.rounds.End(key)
	err := c.guarded(ctx, key)
	c.options.Observer.RoundEnded(time.Since(start), roundOutcome(err))
	return err
}

// Load is how much the controller has to do at a moment.
type Load struct {
	// Rounds and Actions that are under way.
	Rounds, Actions int
	// Queued are the actions that wait for their turn.
	Queued int
}

// Load returns how much there is to do.
func (c *Controller) Load() Load {
	rounds, actions := c.vitals.rounds.Count(), c.performer.underWay.Count()
	return Load{Rounds: rounds, Actions: actions, Queued: int(c.performer.queued.Load())}
}

// stuckAfter is how long anything may take before the process counts as stuck. Every request has a timeout, and a
// round makes a few: only a bug takes longer, be the API server as slow as it may.
const stuckAfter = 5 * time.Minute

// stall knows since when the queue has not moved.
type stall struct {
	mu    sync.Mutex
	begun uint64    // rounds, when it was last seen to move
	since time.Time // when that was seen first
}

// look returns for how long rounds have not begun although there was something to do.
func (s *stall) look(now time.Time, waiting int, begun uint64) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting == 0 || begun != s.begun || s.since.IsZero() {
		s.begun, s.since = begun, now
	}
	return now.Sub(s.since)
}
