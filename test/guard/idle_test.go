package guard

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// idle counts the cost of a running Framework of one Task while nothing happens.
func idle(t *testing.T, m mistake) measures {
	t.Helper()
	const frameworks = 200
	none, many := held(t, m, 0), held(t, m, frameworks)
	return measures{
		"idle Framework: bytes of heap":        (many.bytes - none.bytes) / frameworks,
		"200 idle Frameworks: more goroutines": many.goroutines - none.goroutines,
	}
}

// holding is the heap and the goroutines of a process.
type holding struct{ bytes, goroutines int }

// held measures the heap that is freed when the controller ends, and the number of goroutines. The API server's heap is in the process,
// too; it has no goroutines per Framework.
func held(t *testing.T, m mistake, frameworks int) holding {
	t.Helper()
	s := start(t, m)
	s.KeepGarbage(true) // there is none, and looking for it takes long
	s.create(frameworks, 1)
	s.runAll()
	with := s.holding()
	s.stop()
	s.controller = nil
	return holding{with.bytes - s.holding().bytes, with.goroutines}
}

// holding is the least that the process holds within a second: connections take a moment to end, and finalizers to run.
func (s *trial) holding() holding {
	least := holding{math.MaxInt, math.MaxInt}
	for range 10 {
		time.Sleep(100 * time.Millisecond)
		runtime.GC()
		least = holding{min(least.bytes, int(allocated().HeapAlloc)), min(least.goroutines, runtime.NumGoroutine())}
	}
	return least
}
