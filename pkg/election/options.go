package election

import (
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Timing configures how a lease is held.
type Timing struct {
	// LeaseDuration is how long others wait after they have seen the lease renewed until they take it. Whole seconds, as in the
	// stored Lease.
	LeaseDuration time.Duration
	// RenewDeadline is how long the leader tries to renew the lease before it gives up.
	RenewDeadline time.Duration
	// RetryPeriod is the pause between two attempts to take or renew the lease.
	RetryPeriod time.Duration
}

// Defaults let another process lead 8 to 12 s after the leader has died, and about 2 s after it was asked to end.
var Defaults = Timing{LeaseDuration: 8 * time.Second, RenewDeadline: 5 * time.Second, RetryPeriod: time.Second}

// margin is the rest of the lease after the end of the last write: clocks do not run at exactly the same rate.
const margin = 500 * time.Millisecond

// RequestTimeout is the time limit of a write. A write that begins when the lease is given up ends before the lease expires.
func (t Timing) RequestTimeout() time.Duration { return t.LeaseDuration - t.RenewDeadline - margin }

// Validate returns an error for an impossible duration, named by its flag.
func (t Timing) Validate() error {
	const flag = "--leader-elect-"
	switch {
	case t.LeaseDuration != t.LeaseDuration.Truncate(time.Second):
		return fmt.Errorf("%slease-duration: %s is not a number of whole seconds", flag, t.LeaseDuration)
	case t.RetryPeriod < 100*time.Millisecond:
		return fmt.Errorf("%sretry-period: %s is less than 100ms", flag, t.RetryPeriod)
	case t.RenewDeadline < 2*t.RetryPeriod:
		return fmt.Errorf("%srenew-deadline: %s is less than twice %sretry-period, %s",
			flag, t.RenewDeadline, flag, t.RetryPeriod)
	case t.RequestTimeout() < time.Second:
		return fmt.Errorf("%slease-duration: %s must be at least 1.5s more than %srenew-deadline, %s, as writes must "+
			"end in between", flag, t.LeaseDuration, flag, t.RenewDeadline)
	}
	return nil
}

// Options configure an Election.
type Options struct {
	// Namespace and Name of the Lease.
	Namespace, Name string
	// Identity of this process in the Lease; empty for the host name with a random suffix.
	Identity string
	// Timing must be valid.
	Timing Timing
	// Log must not be nil.
	Log hclog.Logger
}
