package flowcontrol

import (
	"sync"
	"time"
)

// Limiter limits how many Frameworks have a round at the same time. A Framework collects its events while it waits for a slot,
// so a busy API server gets fewer and larger status writes.
//
// Like the window of a TCP connection, the limit grows while reads and writes are answered quickly, and shrinks when they
// queue up at the server. If they queue behind our own actions, one round at a time is enough: the actions continue meanwhile.
// If they queue behind requests of others, more rounds are needed to get a share.
type Limiter struct {
	mu      sync.Mutex
	changed *sync.Cond
	most    float64
	limit   float64 // number of slots that the server's answers allow, between 1 and most
	taken   int
	writes  baseline
	reads   baseline
	hold    time.Duration // how long a slot may currently be held
	closed  bool
	// actions returns the number of actions under way.
	actions func() int
}

const (
	// minShare is the minimum number of slots, unless more actions than that are under way: these keep the API server busy
	// enough.
	minShare = 3
	// queuedFactor is the latency of a queued request, as a multiple of the fastest. Among our own actions, requests take several
	// times as long anyway.
	queuedFactor = 8
	// baselineDecay is the inverse of the fraction by which the baseline grows with each request of its kind that is not faster.
	baselineDecay = 4096
	// maxHold is the time after which a round gives its slot back early: a Framework that is large, or whose requests are slow,
	// must not block the others.
	maxHold = 250 * time.Millisecond
	// minHold is the same limit when many rounds are slow: hundreds of Frameworks with slow requests, for instance due to a
	// webhook of their namespace, must not block the others together either. Each slow round halves the time of the next ones,
	// and each other round extends it by 1/holdRegain.
	minHold    = 25 * time.Millisecond
	holdRegain = 10
)

// NewLimiter returns a limiter with at most the given number of slots, and at least one. actions returns how many of our
// actions are under way; it must be safe for concurrent use, and must not use the limiter.
func NewLimiter(most int, actions func() int) *Limiter {
	l := &Limiter{most: max(float64(most), 1), limit: 1, hold: maxHold, actions: actions}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// Acquire waits for a slot. It returns false after Close.
func (l *Limiter) Acquire() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.taken >= l.slots() && !l.closed {
		l.changed.Wait()
	}
	l.taken++
	if l.taken < l.slots() {
		l.changed.Signal() // nobody else does so when actions have ended
	}
	return !l.closed
}

// slots returns how many may be taken.
func (l *Limiter) slots() int {
	if l.actions() > minShare {
		return int(l.limit)
	}
	return int(max(l.limit, min(minShare, l.most)))
}

// StartHold starts the time limit of an acquired slot. The slot is given back once: when the returned function is called at
// the end of the round, or when the time is up.
func (l *Limiter) StartHold() (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	over, late := time.AfterFunc(l.hold, l.release), time.AfterFunc(maxHold, l.shrinkHold)
	return func() {
		if over.Stop() {
			l.release()
		}
		if late.Stop() {
			l.growHold()
		}
	}
}

func (l *Limiter) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken--
	l.changed.Signal()
}

func (l *Limiter) shrinkHold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold = max(l.hold/2, minHold)
}

func (l *Limiter) growHold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold = min(l.hold+l.hold/holdRegain, maxHold)
}

// ObserveWrite records the latency of a status write, and ObserveRead the latency of a read.
func (l *Limiter) ObserveWrite(took time.Duration) { l.observe(&l.writes, took) }
func (l *Limiter) ObserveRead(took time.Duration)  { l.observe(&l.reads, took) }

func (l *Limiter) observe(kind *baseline, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kind.queued(took) {
		l.limit = max(l.limit-0.5, 1)
		return
	}
	l.limit = min(l.limit+1/l.limit, l.most)
	l.changed.Signal() // this lets in at most one more
}

// baseline is the latency of a request that does not queue at the server: the shortest one of its kind.
type baseline struct {
	latency time.Duration // forgotten slowly; zero before the first
}

// queued records the latency of a request, and reports whether it has queued at the server.
func (b *baseline) queued(took time.Duration) bool {
	if b.latency == 0 || took < b.latency {
		b.latency = took
	} else {
		b.latency += b.latency / baselineDecay
	}
	return took > queuedFactor*b.latency
}

// Close ends all waiting for slots, now and later.
func (l *Limiter) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.changed.Broadcast()
}
