//go:build !linux

package election

import "time"

// sinceBoot is the time since the process was started.
func sinceBoot() time.Duration { return time.Since(start) }

var start = time.Now()
