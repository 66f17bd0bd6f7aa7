package flowcontrol

import (
	"sync"
	"time"
)

// Limiter bounds how many Frameworks have a round at the same time. A Framework that waits for a slot collects its events
// meanwhile, so the busier the API server is, the fewer and the larger are the status writes it gets.
//
// As a TCP connection does with its window, it lets more of them in while reads and writes are answered quickly, and fewer
// when they queue up at the server. If it is our own actions that they queue behind, one at a time is enough: the actions
// go on meanwhile. If it is the requests of others, it takes more of them to get a share.
type Limiter struct {
	mu      sync.Mutex
	changed *sync.Cond
	most    float64
	limit   float64 // how many slots the server's answers allow, between 1 and most
	taken   int
	writes  baseline
	reads   baseline
	hold    time.Duration // how long a slot may be held now
	closed  bool
	// actions returns how many are under way.
	actions func() int
}

const (
	// minShare is how many are let in at least, unless more actions than that are under way: these keep the API server busy
	// enough.
	minShare = 3
	// queuedFactor is how many times longer than the fastest a request takes when it queues. Among our own actions it takes
	// several times as long anyway.
	queuedFactor = 8
	// baselineDecay is the inverse of the part by which the baseline grows with each request of its kind that does not
	// beat it.
	baselineDecay = 4096
	// maxHold is when a round gives its slot back before its end: a Framework that is large, or that the API server
	// answers slowly about, must not stop the others.
	maxHold = 250 * time.Millisecond
	// minHold is the same where many rounds take longer: hundreds of Frameworks that are answered slowly, by a webhook
	// of their namespace for instance, must not stop the others together either. Each such round halves the time of the
	// next ones, and each other round makes it longer by the part that 1/holdRegain is of it.
	minHold    = 25 * time.Millisecond
	holdRegain = 10
)

// NewLimiter returns a limiter of at most so many slots, and one at least. actions returns how many of our actions are under
// way; it must be safe for concurrent use, and must not use the limiter.
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
		l.changed.Signal() // nobody else does when actions have ended
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

// StartHold begins the time that an acquired slot may be held. The slot is given back once, when the returned function is
// called at the end of the round or when the time is over.
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

// ObserveWrite takes in how long a status write took, and ObserveRead how long a read did.
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
	l.changed.Signal() // this lets in one more at most
}

// baseline is the latency of a request that does not queue at the server: the shortest of its kind.
type baseline struct {
	latency time.Duration // forgotten slowly; zero before the first
}

// queued takes in how long a request took, and reports whether it has queued at the server.
func (b *baseline) queued(took time.Duration) bool {
	if b.latency == 0 || took < b.latency {
		b.latency = took
	} else {
		b.latency += b.latency / baselineDecay
	}
	return took > queuedFactor*b.latency
}

// Close ends the waiting for slots, also of those who come later.
func (l *Limiter) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.changed.Broadcast()
}
