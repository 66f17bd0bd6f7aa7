package election

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is the time since the machine was started. Unlike the clock of package time, it also runs while the machine is suspended, and
// it cannot be set.
func sinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return time.Since(start)
	}
	return time.Duration(t.Nano())
}

var start = time.Now()
