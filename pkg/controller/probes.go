package controller

import (
	"errors"
	"fmt"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/health"
)

// Liveness returns checks that fail if the process makes no progress any more, and that a restart may help. An API
// server that does not answer is no such reason.
func (c *Controller) Liveness() []health.Check {
	v := c.vitals
	return []health.Check{
		{Name: "rounds", Look: v.roundsEnd},
		{Name: "queue", Look: v.queueMoves},
		{Name: "requests", Look: v.actionsEnd},
	}
}

// Readiness returns checks that fail if Frameworks are not being taken care of. Of a controller that stands by, they
// fail if it could not do so at once.
func (c *Controller) Readiness() []health.Check {
	v := c.vitals
	return []health.Check{
		{Name: "crd", Look: v.crdServed},
		{Name: "caches", Look: v.cachesFilled},
		{Name: "api-server", Look: v.apiServerAnswers},
		{Name: "status-subresource", Look: v.statusWritable},
		{Name: "shutdown", Look: v.notStopping},
	}
}

// mostPatience is how long a round or an action may take. A round may install the CRD, and a rate limit that is set
// makes requests wait for each other.
func (v *vitals) mostPatience() time.Duration {
	requests := time.Duration(3 * (v.options.Workers + v.options.RequestsInFlight))
	return stuckAfter + v.options.CRD.CheckTimeout + requests*v.pause
}

func (v *vitals) roundsEnd() (string, error) {
	n, key, since := v.rounds.Oldest()
	if age := v.age(since); n > 0 && age > v.mostPatience() {
		return "", fmt.Errorf("the round of Framework %s has not ended for %s", key, age)
	}
	return "", nil
}

func (v *vitals) actionsEnd() (string, error) {
	n, action, since := v.actions.Oldest()
	if age := v.age(since); n > 0 && age > v.mostPatience() {
		return "", fmt.Errorf("%s has not ended for %s", action, age)
	}
	return "", nil
}

func (v *vitals) queueMoves() (string, error) {
	if v.reached() != working {
		return "", nil // it is not meant to
	}
	waiting := v.queue.Len()
	if stalled := v.stall.look(v.clock(), waiting, v.rounds.Begun()); stalled > v.mostPatience() {
		return "", fmt.Errorf("%d Frameworks wait, and no round has begun for %s", waiting, stalled.Round(time.Second))
	}
	return "", nil
}

func (v *vitals) age(since time.Time) time.Duration {
	return v.clock().Sub(since).Round(time.Second)
}

func (v *vitals) crdServed() (string, error) {
	if v.reached() == starting {
		return "", errors.New("the CRD is not installed yet")
	}
	return "", v.server.MissingFrameworks()
}

func (v *vitals) cachesFilled() (string, error) {
	s := v.reached()
	if filled := s >= working || s == standingBy && v.watches.full(); !filled {
		return "", errors.New("the caches are not filled yet")
	}
	return "", nil
}

func (v *vitals) apiServerAnswers() (string, error) { return "", v.server.Silent(v.clock()) }

func (v *vitals) statusWritable() (string, error) { return "", v.server.MissingStatus() }

func (v *vitals) notStopping() (string, error) {
	if v.reached() == stopping {
		return "", errors.New("the controller is stopping")
	}
	return "", nil
}
