package goruntime

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// minGrowth is what may be allocated between two garbage collections at the least, in bytes.
const minGrowth = 32 << 20

// CollectSeldom lets the heap grow by at least 32 MiB between two garbage collections, until ctx ends. It does nothing if
// GOGC or GOMEMLIMIT in the environment says how much the heap may grow.
//
// Go lets the heap double. A heap in which little is kept would be collected every few hundred milliseconds when there is
// much to do: with 100 Frameworks of 10 Tasks the process used a sixteenth more CPU. A larger GOGC would do for such a
// heap, and let a large one take more than twice the memory. Where more than 32 MiB are kept, all is as Go has it.
func CollectSeldom(ctx context.Context) {
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
	return int(min(max(100*minGrowth/max(kept, 1), usual), most))
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
