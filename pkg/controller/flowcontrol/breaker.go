package flowcontrol

import (
	"math"
	"sync"
	"time"
)

// Outcome is what a request shows about others of its kind.
type Outcome int

const (
	// Success: others may succeed as well.
	Success Outcome = iota
	// Failure may be that of all, as with a quota or a webhook that hangs.
	Failure
	// LoneFailure is for a reason that concerns no other.
	LoneFailure
	// SlowRefusal is for good, and took so long that others like it would keep the API server from its work.
	SlowRefusal
	// Unrelated shows nothing of others: an answer for good, or none.
	Unrelated
)

// slowRefusal is how long a refusal takes at least to count as slow. Text that a user wrote can cost the API server
// seconds of its processor to find all that is wrong with it.
const slowRefusal = handoffAfter

// Refusal returns what a refusal for good shows that took so long.
func Refusal(took time.Duration) Outcome {
	if took < slowRefusal {
		return Unrelated
	}
	return SlowRefusal
}

// Breaker holds a Framework's actions of one kind back after one has failed: it opens for a time that doubles with each
// further failure. Those that fail while it is open were under way already, and count once.
//
// Afterwards it is half open if the failure may be that of all: it lets one through, the probe, and the others only after
// that has been answered. After a slow refusal it is half open, too. The zero value is closed, and lets all through.
type Breaker struct {
	mu       sync.Mutex
	backoff  Backoff // it is open as long as that waits
	halfOpen bool    // since it was opened last, nothing shows that others would fare better
	probing  bool    // the probe is under way
}

// TryOne makes the breaker half open: nothing shows how requests fare from now on.
func (b *Breaker) TryOne() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.halfOpen = true
}

// Allow reports whether a request may be sent now, and whether it is the probe. Whoever is allowed has to Record an outcome.
func (b *Breaker) Allow(now time.Time) (probe, allowed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Before(b.backoff.Until()) || b.probing {
		return false, false
	}
	b.probing = b.halfOpen
	return b.probing, true
}

// Record takes in what became of a request. Only the probe shows that others would fare better: the rest may have been
// under way when the failure came.
func (b *Breaker) Record(o Outcome, probe bool, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing, b.halfOpen = false, false
	}
	switch o {
	case Failure:
		b.failed(now)
		b.halfOpen = true
	case LoneFailure:
		b.failed(now)
	case SlowRefusal:
		b.halfOpen = true
	case Success:
		b.backoff.Succeed()
	}
}

// failed is called while mu is held.
func (b *Breaker) failed(now time.Time) {
	if !now.Before(b.backoff.Until()) {
		b.backoff.Fail(now)
	}
}

// OpenUntil returns until when nothing is let through; a time that is not in the future if the breaker is not open.
func (b *Breaker) OpenUntil() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.backoff.Until()
}

// Capacity returns how many requests may be submitted once the breaker is not open: no more than it would let through.
func (b *Breaker) Capacity() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.probing:
		return 0
	case b.halfOpen:
		return 1
	}
	return math.MaxInt
}
