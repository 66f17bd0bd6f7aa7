package election

import (
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Timing says how a lease is held.
type Timing struct {
	// LeaseDuration is how long others wait, after they have seen the lease renewed, until they take it. Whole seconds,
	// since it is stored as such.
	LeaseDuration time.Duration
	// RenewDeadline is how long the one that leads tries to renew the lease until it gives up.
	RenewDeadline time.Duration
	// RetryPeriod is the pause between two attempts to take the lease or to renew it.
	RetryPeriod time.Duration
}

// Defaults let another process lead 8 to 12 s after one has died, and about 2 s after one was told to end.
var Defaults = Timing{LeaseDuration: 8 * time.Second, RenewDeadline: 5 * time.Second, RetryPeriod: time.Second}

// margin is what is left of the lease when the last write has ended: clocks do not run at quite the same rate.
const margin = 500 * time.Millisecond

// RequestTimeout is how long a write may take. One that begins when the lease is given up ends before it is over.
func (t Timing) RequestTimeout() time.Duration { return t.LeaseDuration - t.RenewDeadline - margin }

// Validate says which duration is impossible, by its flag.
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
		return fmt.Errorf("%slease-duration: %s has to be at least 1.5s more than %srenew-deadline, %s, as writes have to "+
			"end in between", flag, t.LeaseDuration, flag, t.RenewDeadline)
	}
	return nil
}

// Options configure an Election.
type Options struct {
	// Namespace and Name of the Lease.
	Namespace, Name string
	// Identity of this process in it; empty for the name of the host with a random ending.
	Identity string
	// Timing is valid.
	Timing Timing
	// Log is not nil.
	Log hclog.Logger
}
