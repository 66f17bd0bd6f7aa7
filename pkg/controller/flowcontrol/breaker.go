package flowcontrol

import (
	"math"
	"sync"
	"time"
)

// Outcome predicts the results of other requests of the same kind.
type Outcome int

const (
	// Success: others may succeed as well.
	Success Outcome = iota
	// Failure: similar requests are likely to fail too, for example because of a quota or a webhook that hangs.
	Failure
	// LoneFailure has a reason that concerns no other request.
	LoneFailure
	// SlowRefusal is final, and took so long that similar requests would keep the API server from its work.
	SlowRefusal
	// Unrelated predicts nothing about others: a final answer, or none.
	Unrelated
)

// slowRefusal is the duration from which a refusal counts as slow. Finding all errors in a user's text can cost the API server
// seconds of processor time.
const slowRefusal = handoffAfter

// Refusal classifies a final refusal by its duration.
func Refusal(took time.Duration) Outcome {
	if took < slowRefusal {
		return Unrelated
	}
	return SlowRefusal
}

// Breaker holds back a Framework's actions of one kind after one has failed: it opens for a time that doubles with each
// further failure. Failures of actions that were already under way when it opened count once.
//
// Afterwards it is half open if other actions are likely to fail, too, or after a slow refusal: it lets one action through,
// the probe, and the others only after the probe was answered. The zero value is closed, and lets all actions through.
type Breaker struct {
	mu       sync.Mutex
	backoff  Backoff // the breaker is open while this waits
	halfOpen bool    // since it last opened, nothing has shown that others would succeed
	probing  bool    // the probe is under way
}

// TryOne makes the breaker half open: the next request has to show whether requests succeed.
func (b *Breaker) TryOne() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.halfOpen = true
}

// Allow reports whether a request may be sent now, and whether it is the probe. The caller must Record the outcome of an
// allowed request.
func (b *Breaker) Allow(now time.Time) (probe, allowed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Before(b.backoff.Until()) || b.probing {
		return false, false
	}
	b.probing = b.halfOpen
	return b.probing, true
}

// Record takes in the outcome of a request. Only the probe shows that others would succeed: the rest may have been under way
// at the time of the failure.
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

// OpenUntil returns when the breaker stops being open; a time that is not in the future if it is not open.
func (b *Breaker) OpenUntil() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.backoff.Until()
}

// Capacity returns how many requests may be submitted once the breaker is not open: as many as it would let through.
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
