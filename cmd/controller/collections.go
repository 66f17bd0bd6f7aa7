package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// room is what may be allocated between two garbage collections at the least, in bytes.
const room = 32 << 20

// collectSeldom lets the heap have some room until ctx ends, unless GOGC or GOMEMLIMIT in the environment says how much
// it may have. Go lets it double, so one in which little is kept would be collected every few hundred milliseconds when
// there is much to do: with 100 Frameworks of 10 Tasks the process used a sixteenth more CPU. Where more than the room is
// kept, all is as Go has it.
func collectSeldom(ctx context.Context) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		afterEachCollection(ctx, func() { debug.SetGCPercent(percentFor(keptBytes())) })
	}
}

// afterEachCollection calls do now and after each garbage collection, until ctx ends.
func afterEachCollection(ctx context.Context, do func()) {
	if ctx.Err() != nil {
		return
	}
	do()
	// A type with a pointer, since Go puts small ones without any together, and frees them together.
	runtime.AddCleanup(&struct{ self *byte }{}, func(do func()) { afterEachCollection(ctx, do) }, do)
}

// percentFor is by how much a heap may grow, in percent of what is kept.
func percentFor(kept uint64) int {
	const usual, most = 100, 1000
	return int(min(max(100*room/max(kept, 1), usual), most))
}

// keptBytes is of what Go takes the percentage: what the last collection found to be in use, stacks and globals.
func keptBytes() (sum uint64) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		sum += s.Value.Uint64()
	}
	return sum
}
