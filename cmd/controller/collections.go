package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// room is what may be allocated between two garbage collections at the least, in bytes.
const room = 32 << 20

// collectSeldom lets the heap have some room, unless GOGC or GOMEMLIMIT in the environment says how much it may have. Go
// lets it double, so one in which little is kept would be collected every few hundred milliseconds when there is much to
// do: with 100 Frameworks of 10 Tasks that was a tenth of what the process used. Where more than the room is kept, all
// is as Go has it.
func collectSeldom() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		afterEachCollection(func() { debug.SetGCPercent(percentFor(liveBytes())) })
	}
}

// afterEachCollection calls do now and after each garbage collection, for as long as the process runs.
func afterEachCollection(do func()) {
	do()
	// A type with a pointer, since Go puts small ones without any together, and frees them together.
	runtime.AddCleanup(&struct{ self *byte }{}, afterEachCollection, do)
}

// percentFor is by how much a heap may grow, in percent of what is kept in it.
func percentFor(live uint64) int {
	const usual, most = 100, 1000
	return int(min(max(100*room/max(live, 1), usual), most))
}

// liveBytes is what the last collection found to be in use; 0 if there was none.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
