package controller

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
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

// vitals are what tells whether the controller is well.
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

// stall knows since when the queue has not moved.
type stall struct {
	mu    sync.Mutex
	begun uint64    // rounds, when it was last seen to move
	since time.Time // when that was seen first
}

// look returns for how long rounds have not begun although there was something to do.
func (s *stall) look(now time.Time, waiting int, begun uint64) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiting == 0 || begun != s.begun || s.since.IsZero() {
		s.begun, s.since = begun, now
	}
	return now.Sub(s.since)
}

// stuckAfter is how long anything may take before the process counts as stuck. Every request has a timeout, and a
// round makes a few: only a bug takes longer, be the API server as slow as it may.
const stuckAfter = 5 * time.Minute
