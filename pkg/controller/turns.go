package controller

import (
	"sync"
	"time"
)

// turns bounds how many Frameworks have a round at the same time. One that waits for its turn collects its news
// meanwhile, so the busier the API server is, the fewer and the larger are the status writes it gets.
//
// As a TCP connection does with its window, it lets more of them in while reads and writes are answered quickly, and fewer
// when they queue up at the server. If it is our own actions that they queue behind, one at a time is enough: the actions
// go on meanwhile. If it is the requests of others, it takes more of them to get a share.
type turns struct {
	mu      sync.Mutex
	changed *sync.Cond
	most    float64
	size    float64 // how many the server's answers allow, between 1 and most
	taken   int
	writes  yardstick
	reads   yardstick
	longest time.Duration // that a turn may take now
	closed  bool
	// actions returns how many are under way.
	actions func() int
}

const (
	// share is how many are let in at least, unless many actions are under way.
	share = 3
	// manyActions keep the API server busy enough.
	manyActions = 4
	// queued is how many times longer than the fastest a request takes when it queues. Among our own actions it takes
	// several times as long anyway.
	queued = 8
	// forgetting is the inverse of the part by which the fastest time grows with each request of its kind that does not
	// beat it.
	forgetting = 4096
	// longestTurn is when a round gives its turn back before its end: a Framework that is large, or that the API server
	// answers slowly about, must not stop the others.
	longestTurn = 250 * time.Millisecond
	// shortestTurn is the same where many rounds take longer: hundreds of Frameworks that are answered slowly, by a webhook
	// of their namespace for instance, must not stop the others together either. Each such round halves the turns of the
	// next ones, and each other round makes them longer by the part that 1/regained is of them.
	shortestTurn = 25 * time.Millisecond
	regained     = 10
)

func newTurns(most int, actions func() int) *turns {
	t := &turns{most: max(float64(most), 1), size: 1, longest: longestTurn, actions: actions}
	t.changed = sync.NewCond(&t.mu)
	return t
}

// take waits for a turn. It returns false after close.
func (t *turns) take() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.taken >= t.open() && !t.closed {
		t.changed.Wait()
	}
	t.taken++
	if t.taken < t.open() {
		t.changed.Signal() // nobody else does when actions have ended
	}
	return !t.closed
}

// open returns how many may have a turn.
func (t *turns) open() int {
	if t.actions() >= manyActions {
		return int(t.size)
	}
	return int(max(t.size, min(share, t.most)))
}

// limit gives the turn back once, when the returned function is called at the end of the round or when the turn's time is
// over.
func (t *turns) limit() (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	over, late := time.AfterFunc(t.longest, t.giveBack), time.AfterFunc(longestTurn, t.beLate)
	return func() {
		if over.Stop() {
			t.giveBack()
		}
		if late.Stop() {
			t.beInTime()
		}
	}
}

func (t *turns) giveBack() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken--
	t.changed.Signal()
}

func (t *turns) beLate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.longest = max(t.longest/2, shortestTurn)
}

func (t *turns) beInTime() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.longest = min(t.longest+t.longest/regained, longestTurn)
}

// learnWrite takes in how long a write took, and learnRead how long a read did.
func (t *turns) learnWrite(took time.Duration) { t.learn(&t.writes, took) }
func (t *turns) learnRead(took time.Duration)  { t.learn(&t.reads, took) }

func (t *turns) learn(from *yardstick, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if from.queued(took) {
		t.size = max(t.size-0.5, 1)
		return
	}
	t.size = min(t.size+1/t.size, t.most)
	t.changed.Signal() // this lets in one more at most
}

// yardstick tells by the fastest request of a kind which ones have queued at the server.
type yardstick struct {
	fastest time.Duration // forgotten slowly; zero before the first
}

func (y *yardstick) queued(took time.Duration) bool {
	if y.fastest == 0 || took < y.fastest {
		y.fastest = took
	} else {
		y.fastest += y.fastest / forgetting
	}
	return took > queued*y.fastest
}

func (t *turns) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.changed.Broadcast()
}
