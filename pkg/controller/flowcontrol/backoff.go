package flowcontrol

import "time"

// FirstDelay and MaxDelay bound the delay between tries of what fails for reasons that may pass (decisions, W12).
const (
	FirstDelay = 500 * time.Millisecond
	MaxDelay   = 5 * time.Second
)

// Backoff says when to try again: after a delay that doubles with each failure. The zero value is for what has not failed.
type Backoff struct {
	delay time.Duration // before the next try; 0 if the last one has not failed
	until time.Time
}

// Fail takes in a failure.
func (b *Backoff) Fail(now time.Time) {
	b.delay = min(max(2*b.delay, FirstDelay), MaxDelay)
	b.until = now.Add(b.delay)
}

// Succeed takes in a success: the next failure is a first one. What waits already goes on waiting.
func (b *Backoff) Succeed() { b.delay = 0 }

// Until returns until when to wait; a time that is not in the future if there is nothing to wait for.
func (b *Backoff) Until() time.Time { return b.until }
