package controller

import (
	"sync"
	"time"
)

// Delays between tries of an action that fails for reasons that may pass (decisions, W12).
const (
	firstDelay = 500 * time.Millisecond
	mostDelay  = 5 * time.Second
)

// gate holds a Framework's actions of one kind back after one has failed, for a time that doubles with each
// further failure. Those that fail while it is closed were under way already, and count once.
type gate struct {
	mu     sync.Mutex
	delay  time.Duration
	closed time.Time // until when; zero or past if open
}

func (g *gate) failed(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Before(g.closed) {
		return
	}
	g.delay = min(max(2*g.delay, firstDelay), mostDelay)
	g.closed = now.Add(g.delay)
}

func (g *gate) succeeded() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.delay = 0
}

// opens returns when the gate opens; a time that is not in the future if it is open.
func (g *gate) opens() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}
