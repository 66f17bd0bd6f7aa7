package flowcontrol

import "time"

// FirstDelay and MaxDelay bound the delay between tries after temporary failures (decisions, W12).
const (
	FirstDelay = 500 * time.Millisecond
	MaxDelay   = 5 * time.Second
)

// Backoff schedules retries: the delay doubles with each failure. The zero value has no failure.
type Backoff struct {
	delay time.Duration // before the next try; 0 if the last one has not failed
	until time.Time
}

// Fail records a failure.
func (b *Backoff) Fail(now time.Time) {
	b.delay = min(max(2*b.delay, FirstDelay), MaxDelay)
	b.until = now.Add(b.delay)
}

// Succeed records a success: the next failure counts as the first. A current wait continues.
func (b *Backoff) Succeed() { b.delay = 0 }

// Until returns when the wait ends; a time that is not in the future if there is none.
func (b *Backoff) Until() time.Time { return b.until }
