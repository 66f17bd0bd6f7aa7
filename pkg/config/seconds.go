package config

import (
	"math"
	"time"
)

// Seconds is a number of whole seconds, as written in the file.
type Seconds int64

const maxSeconds = Seconds(math.MaxInt64 / int64(time.Second))

// Duration returns s as a duration, at most the longest there is (292 years): people write large numbers to mean
// forever.
func (s Seconds) Duration() time.Duration {
	if s > maxSeconds {
		return math.MaxInt64
	}
	return time.Duration(s) * time.Second
}
