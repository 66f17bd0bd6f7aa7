package goruntime

import (
	"os"
	"runtime"
)

// mostProcessors is enough, since most of the work about a Pod is the API server's.
const mostProcessors = 4

// LimitProcessors keeps the process from using all CPUs at once, unless GOMAXPROCS in the environment says how many. Its
// many small requests come and go one by one, and Go wakes threads on idle CPUs for each of them, which find nothing to
// do: on two CPUs that was a sixth of what the process used.
func LimitProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(processors(runtime.GOMAXPROCS(0)))
	}
}

// processors is how many to use of those that the machine has, or that the container may use.
func processors(available int) int { return min(max(available/2, 1), mostProcessors) }
