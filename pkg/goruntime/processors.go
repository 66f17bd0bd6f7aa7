package goruntime

import (
	"os"
	"runtime"
)

// mostProcessors is enough, since the API server does most of the work about a Pod.
const mostProcessors = 4

// LimitProcessors keeps the process from using all CPUs at once, unless GOMAXPROCS in the environment sets their
// number. Many small requests arrive one by one, and for each of them Go wakes threads on idle CPUs, which find nothing
// to do: on two CPUs that was a sixth of the process's CPU time.
func LimitProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(processors(runtime.GOMAXPROCS(0)))
	}
}

// processors is the number of CPUs to use out of those that the machine has, or that the container may use.
func processors(available int) int { return min(max(available/2, 1), mostProcessors) }
