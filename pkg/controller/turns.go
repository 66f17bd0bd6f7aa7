package controller

import (
	"sync"
	"time"
)

// turns bounds how many Frameworks have a round at the same time. One that waits for its turn collects its news
// meanwhile, so the busier the API server is, the fewer and the larger are the status writes it gets.
//
// As a TCP connection does with its window, it lets more of them in while writes are answered quickly, and fewer when
// they queue up at the server. If it is our own actions that they queue behind, one at a time is enough: the actions go
// on meanwhile. If it is the requests of others, it takes more of them to get a share.
type turns struct {
	mu      sync.Mutex
	changed *sync.Cond
	most    float64
	size    float64 // how many the server's answers allow, between 1 and most
	taken   int
	fastest time.Duration // that a write took, forgotten slowly; zero before the first
	closed  bool
	// actions returns how many are under way.
	actions func() int
}

const (
	// share is how many are let in at least, unless many actions are under way.
	share = 3
	// manyActions keep the API server busy enough.
	manyActions = 4
	// queued is how many times longer than the fastest a write takes when it queues. Among our own actions it takes several
	// times as long anyway.
	queued = 8
	// forgetting is the inverse of the part by which the fastest time grows with each write that does not beat it.
	forgetting = 4096
	// longestTurn is when a round gives its turn back before its end: a Framework that is large, or that the API server
	// answers slowly about, must not stop the others.
	longestTurn = 250 * time.Millisecond
)

func newTurns(most int, actions func() int) *turns {
	t := &turns{most: max(float64(most), 1), size: 1, actions: actions}
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

func (t *turns) giveBack() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken--
	t.changed.Signal()
}

// limit gives the turn back once, when the returned function is called or after longestTurn.
func (t *turns) limit() (end func()) {
	giveBack := sync.OnceFunc(t.giveBack)
	timer := time.AfterFunc(longestTurn, giveBack)
	return func() {
		timer.Stop()
		giveBack()
	}
}

// learn takes in how long a write took.
func (t *turns) learn(took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fastest == 0 || took < t.fastest {
		t.fastest = took
	} else {
		t.fastest += t.fastest / forgetting
	}
	if took > queued*t.fastest {
		t.size = max(t.size-0.5, 1)
		return
	}
	t.size = min(t.size+1/t.size, t.most)
	t.changed.Signal() // this lets in one more at most
}

func (t *turns) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.changed.Broadcast()
}
