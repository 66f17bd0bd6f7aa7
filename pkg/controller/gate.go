package controller

import (
	"math"
	"sync"
	"time"
)

// Delays between tries of an action that fails for reasons that may pass (decisions, W12).
const (
	firstDelay = 500 * time.Millisecond
	mostDelay  = 5 * time.Second
)

// longer is the delay after one more failure.
func longer(delay time.Duration) time.Duration { return min(max(2*delay, firstDelay), mostDelay) }

// gate holds a Framework's actions of one kind back after one has failed, for a time that doubles with each
// further failure. Those that fail while it is closed were under way already, and count once.
//
// Afterwards it is half open if the failure may be that of all, as with a quota or a webhook that hangs: it lets one
// through, the probe, and the others only after that has been answered.
type gate struct {
	mu       sync.Mutex
	delay    time.Duration
	closed   time.Time // until when; zero or past if open
	doubtful bool      // since it was closed last, nothing shows that others would fare better
	probing  bool      // the probe is under way
}

// enter reports whether a request may be sent now, and whether it is the probe. Whoever enters has to leave.
func (g *gate) enter(now time.Time) (probe, entered bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Before(g.closed) || g.probing {
		return false, false
	}
	g.probing = g.doubtful
	return g.probing, true
}

// leave takes in what became of a request. Only the probe shows that others would fare better: the rest may have been
// under way when the failure came.
func (g *gate) leave(n result, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n.probe {
		g.probing, g.doubtful = false, false
	}
	switch {
	case n.transient():
		g.failed(now)
		g.doubtful = g.doubtful || !n.ofItsObject()
	case n.err == nil:
		g.succeeded()
	}
}

// failed and succeeded are called while mu is held.
func (g *gate) failed(now time.Time) {
	if now.Before(g.closed) {
		return
	}
	g.delay = longer(g.delay)
	g.closed = now.Add(g.delay)
}

func (g *gate) succeeded() { g.delay = 0 }

// opens returns when the gate opens; a time that is not in the future if it is open.
func (g *gate) opens() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// room returns how many requests may be submitted once the gate is not closed: no more than it would let through.
func (g *gate) room() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.probing:
		return 0
	case g.doubtful:
		return 1
	}
	return math.MaxInt
}
