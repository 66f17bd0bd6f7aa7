package controller

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
)

// underWay knows what has begun and not ended yet. The zero value is usable.
type underWay[K comparable] struct {
	mu    sync.Mutex
	since map[K]time.Time
	begun uint64 // how many have ever
}

func (u *underWay[K]) begin(k K, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.since == nil {
		u.since = map[K]time.Time{}
	}
	u.since[k] = now
	u.begun++
}

func (u *underWay[K]) end(k K) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.since, k)
}

// look returns how many are under way, and which of them began first.
func (u *underWay[K]) look() (n int, oldest K, since time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for k, t := range u.since {
		if since.IsZero() || t.Before(since) {
			oldest, since = k, t
		}
	}
	return len(u.since), oldest, since
}

func (u *underWay[K]) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.since)
}

func (u *underWay[K]) everBegun() uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.begun
}

// timed is a round whose progress is followed.
func (c *Controller) timed(ctx context.Context, key cache.ObjectName) error {
	start := time.Now()
	c.vitals.rounds.begin(key, start)
	defer c.vitals.rounds.end(key)
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
	rounds, actions := c.vitals.rounds.count(), c.performer.underWay.count()
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
