package controller

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/health"
)

// stage is the progress of the controller's start.
type stage int32

const (
	starting stage = iota
	standingBy
	crdInstalled
	working
	stopping
)

// vitals are the data that show whether the controller is healthy.
type vitals struct {
	options Options
	pause   time.Duration // between requests, if a rate limit is set
	clock   func() time.Time
	watches *watches
	queue   *roundQueue
	server  *apiserver.Server

	stage   atomic.Int32
	rounds  flowcontrol.InProgress[cache.ObjectName]
	actions *flowcontrol.InProgress[performance]
	stall   stall
}

func (v *vitals) reach(s stage) { v.stage.Store(int32(s)) }

func (v *vitals) reached() stage { return stage(v.stage.Load()) }

// stall tracks since when the queue has not moved.
type stall struct {
	mu    sync.Mutex
	begun uint64    // rounds, when it was last seen to move
	since time.Time // when that was first seen
}

// look returns how long no round has started although there was work.
func (s *stall) look(now time.Time, waiting int, begun uint64) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting == 0 || begun != s.begun || s.since.IsZero() {
		s.begun, s.since = begun, now
	}
	return now.Sub(s.since)
}

// stuckAfter is how long anything may take before the process counts as stuck. Every request has a timeout, and a round makes
// only a few: even with a slow API server, only a bug takes longer.
const stuckAfter = 5 * time.Minute

// Liveness returns checks that fail if the process no longer makes progress and a restart may help. An API server that does
// not answer is not such a reason.
func (c *Controller) Liveness() []health.Check {
	v := c.vitals
	return []health.Check{
		{Name: "rounds", Look: v.roundsEnd},
		{Name: "queue", Look: v.queueMoves},
		{Name: "requests", Look: v.actionsEnd},
	}
}

// Readiness returns checks that fail if Frameworks are not being processed. For a controller that stands by, they fail if it
// could not take over at once.
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

// mostPatience is the maximum duration of a round or an action. A round may install the CRD, and a rate limit makes requests
// wait for each other.
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
		return "", nil // it does not serve Frameworks by design
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
