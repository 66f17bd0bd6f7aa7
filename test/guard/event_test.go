package guard

import (
	"fmt"
	"runtime"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// event counts the allocations from the moment at which a Pod begins to run until the end of the round that stores it. The allocations of
// the API server for a change of a Pod are subtracted.
func event(t *testing.T, m mistake, tasks int) measures {
	t.Helper()
	const events = 11
	s := start(t, m)
	s.KeepGarbage(true) // there is none, and looking for it takes long
	s.create(1, tasks)
	s.RunPod(v1.PodName(name(0), role, 0))
	s.awaitTasks(v1.AttemptRunning, 1)
	s.writes.answers.Store(true)
	all := s.runPods(1, events, func() { <-s.rounds.written })
	s.stop()
	servers := s.runPods(1+events, events, func() {})
	of := fmt.Sprintf("event in 1 x %d: ", tasks)
	return measures{of + "allocations": all.count - servers.count, of + "allocated bytes": all.bytes - servers.bytes}
}

// allocations are the allocations of the whole process.
type allocations struct{ count, bytes int }

// runPods lets Pods run, one after the other, and returns the median of the allocations until each wait is over.
func (s *trial) runPods(first, n int, wait func()) allocations {
	var counts, bytes []int
	for i := first; i < first+n; i++ {
		s.rounds.expectWrite()
		before := allocated()
		s.RunPod(v1.PodName(name(0), role, int32(i)))
		wait()
		after := allocated()
		counts = append(counts, int(after.Mallocs-before.Mallocs))
		bytes = append(bytes, int(after.TotalAlloc-before.TotalAlloc))
	}
	return allocations{median(counts), median(bytes)}
}

func allocated() (m runtime.MemStats) {
	runtime.ReadMemStats(&m)
	return m
}
