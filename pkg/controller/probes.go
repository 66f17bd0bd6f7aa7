package controller

import (
	"errors"
	"fmt"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/health"
)

// stage is how far the controller has come.
type stage int32

const (
	starting stage = iota
	standingBy
	crdInstalled
	working
	stopping
)

func (c *Controller) reach(s stage) { c.stage.Store(int32(s)) }

func (c *Controller) reached() stage { return stage(c.stage.Load()) }

// Liveness are checks of which one that fails means that the process makes no progress any more, and that a restart
// may help. An API server that does not answer is no such reason.
func (c *Controller) Liveness() []health.Check {
	return []health.Check{
		{Name: "rounds", Look: c.roundsEnd},
		{Name: "queue", Look: c.queueMoves},
		{Name: "requests", Look: c.actionsEnd},
	}
}

// Readiness are checks of which one that fails means that Frameworks are not being taken care of, or could not be at once
// by a controller that stands by.
func (c *Controller) Readiness() []health.Check {
	return []health.Check{
		{Name: "crd", Look: c.crdServed},
		{Name: "caches", Look: c.cachesFilled},
		{Name: "api-server", Look: c.apiServerAnswers},
		{Name: "status-subresource", Look: c.statusWritable},
		{Name: "shutdown", Look: c.notStopping},
	}
}

// mostPatience is how long a round or an action may take. A round may install the CRD, and a rate limit that is set
// makes requests wait for each other.
func (c *Controller) mostPatience() time.Duration {
	requests := time.Duration(3 * (c.options.Workers + c.options.RequestsInFlight))
	return stuckAfter + c.options.CRD.CheckTimeout + requests*c.clients.pause
}

func (c *Controller) roundsEnd() (string, error) {
	n, key, since := c.rounds.look()
	if age := c.age(since); n > 0 && age > c.mostPatience() {
		return "", fmt.Errorf("the round of Framework %s has not ended for %s", key, age)
	}
	return "", nil
}

func (c *Controller) actionsEnd() (string, error) {
	n, action, since := c.performer.underWay.look()
	if age := c.age(since); n > 0 && age > c.mostPatience() {
		return "", fmt.Errorf("%s has not ended for %s", action, age)
	}
	return "", nil
}

func (c *Controller) queueMoves() (string, error) {
	if c.reached() != working {
		return "", nil // it is not meant to
	}
	waiting := c.queue.Len()
	if stalled := c.stall.look(c.clock(), waiting, c.rounds.everBegun()); stalled > c.mostPatience() {
		return "", fmt.Errorf("%d Frameworks wait, and no round has begun for %s", waiting, stalled.Round(time.Second))
	}
	return "", nil
}

func (c *Controller) age(since time.Time) time.Duration {
	return c.clock().Sub(since).Round(time.Second)
}

func (c *Controller) crdServed() (string, error) {
	if c.reached() == starting {
		return "", errors.New("the CRD is not installed yet")
	}
	return "", c.contact.missing(frameworksServed)
}

func (c *Controller) cachesFilled() (string, error) {
	s := c.reached()
	if filled := s >= working || s == standingBy && c.watches.full(); !filled {
		return "", errors.New("the caches are not filled yet")
	}
	return "", nil
}

func (c *Controller) apiServerAnswers() (string, error) { return "", c.contact.silence(c.clock()) }

func (c *Controller) statusWritable() (string, error) { return "", c.contact.missing(statusServed) }

func (c *Controller) notStopping() (string, error) {
	if c.reached() == stopping {
		return "", errors.New("the controller is stopping")
	}
	return "", nil
}
