package goruntime

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// minGrowth is the minimum number of bytes that may be allocated between two garbage collections.
const minGrowth = 32 << 20

// CollectSeldom lets the heap grow by at least 32 MiB between two garbage collections, until ctx ends. It does nothing
// if GOGC or GOMEMLIMIT in the environment limits the growth of the heap.
//
// Go lets the heap double. Under load, a heap with few live bytes would be collected every few hundred milliseconds:
// with 100 Frameworks of 10 Tasks the process used a sixteenth more CPU. A larger GOGC would suit such a heap, but let
// a large one take more than twice the memory. If more than 32 MiB are live, Go's default applies.
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
	// A type with a pointer, since Go allocates and frees small ones without pointers together.
	runtime.AddCleanup(&struct{ self *byte }{}, func(do func()) { afterEachCollection(ctx, do) }, do)
}

// percentFor is the permitted growth of the heap, in percent of the bytes kept.
func percentFor(kept uint64) int {
	const usual, most = 100, 1000
	return int(min(max(100*minGrowth/max(kept, 1), usual), most))
}

// keptBytes is the base of Go's percentage: the bytes in use after the last collection, stacks and globals.
func keptBytes() (sum uint64) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		sum += s.Value.Uint64()
	}
	return sum
}
