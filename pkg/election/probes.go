package election

import (
	"errors"
	"fmt"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/health"
)

const (
	// endTakesAtMost is how long a process may continue after losing the lease. It should end at once.
	endTakesAtMost = 10 * time.Second
	// askedWithin is how long there may be no request for the lease. Each attempt has a timeout, and the pause is short.
	askedWithin = time.Minute
	// leaseErrorPatience is how long the Lease may be unreachable until a process that stands by counts as not ready.
	leaseErrorPatience = 15 * time.Second
)

// Liveness fails if the process hangs: it should have ended, or no longer requests the lease. An API server that does not
// answer is not such a reason.
func (e *Election) Liveness() health.Check {
	return health.Check{Name: "lease", Look: func() (string, error) {
		switch s, over := e.fence.current(); {
		case (s == leading || s == lost) && over > endTakesAtMost:
			return "", fmt.Errorf("the lease ended %s ago, but the process has not", over.Round(time.Second))
		case s == standingBy && e.lock.idle() > max(askedWithin, 4*e.options.Timing.RenewDeadline):
			return "", fmt.Errorf("there was no request for the lease for %s", e.lock.idle().Round(time.Second))
		}
		return "", nil
	}}
}

// Readiness fails if the process leads but cannot write, because the lease is not renewed. A process that stands by is ready,
// as it can lead at once, unless it could not take the lease.
func (e *Election) Readiness() health.Check {
	return health.Check{Name: "leader", Look: func() (string, error) {
		switch err := e.fence.blocked(); {
		case err == nil:
			return "leading", nil
		case errors.Is(err, errStandingBy):
			return e.standby(), e.lock.unusable(leaseErrorPatience)
		default:
			return "", err
		}
	}}
}

func (e *Election) standby() (note string) {
	if leader := e.lock.heldBy(); leader != "" {
		return "standing by; " + leader + " leads"
	}
	return "standing by"
}
