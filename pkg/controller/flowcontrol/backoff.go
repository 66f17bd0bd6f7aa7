package flowcontrol

import "time"

// FirstDelay and MaxDelay bound the delay between tries of what fails for reasons that may pass (decisions, W12).
const (
	FirstDelay = 500 * time.Millisecond
	MaxDelay   = 5 * time.Second
)

// NextDelay returns the delay after one more failure; delay is the one before, 0 if there was none.
func NextDelay(delay time.Duration) time.Duration { return min(max(2*delay, FirstDelay), MaxDelay) }
