package pluginhost

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// No question waits for ever for a permit while others come and go without a fault.
func TestEachPermitIsPassedOn(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	s := w.slot("p")
	var askers sync.WaitGroup
	faults := make(chan *Fault, 4*maxCalls)
	for i := range cap(faults) {
		askers.Go(func() {
			for range 2000 {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				v, fault := s.acquireFor(ctx, owner{namespace: fmt.Sprint("n", i)}, false, 0)
				cancel()
				if fault != nil {
					faults <- fault
					return
				}
				s.release(v, nil, answered)
			}
		})
	}
	askers.Wait()
	close(faults)
	for fault := range faults {
		t.Error(fault)
	}
}

// A question that is on trial for long does not keep an ended question's place from the next one.
func TestPlaceBesideATrialIsTaken(t *testing.T) {
	w := newWorld(t, config("p", "rpc"))
	w.ready("p")
	s := w.slot("p")
	acquire := func(trial bool) *permit {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		v, fault := s.acquire(ctx, trial)
		require.Nil(t, fault)
		return v
	}
	held := []*permit{acquire(true)}
	for len(held) < maxCalls {
		held = append(held, acquire(false))
	}
	next := make(chan *permit)
	go func() { next <- acquire(false) }()
	w.until("one waits", func() bool { return len(s.calls) == maxCalls })
	time.Sleep(10 * time.Millisecond) // until it waits: it has its place in the queue first
	s.release(held[1], nil, answered)
	held[1] = <-next
	for _, v := range held {
		s.release(v, nil, answered)
	}
}
