package goruntime

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A small heap gets its minimum growth, and a large one Go's default.
func TestRoomOfTheHeap(t *testing.T) {
	for kept, want := range map[uint64]int{0: 1000, 1 << 20: 1000, 8 << 20: 400, 16 << 20: 200, 32 << 20: 100, 1 << 30: 100} {
		if got := percentFor(kept); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", kept, got, want)
		}
	}
}

// The function is called after each collection, and no longer once the context has ended.
func TestAfterEachCollection(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var times atomic.Int64
	afterEachCollection(ctx, func() { times.Add(1) })
	for before := range int64(4) {
		collectUntil(t, func() bool { return times.Load() > before })
	}
	cancel()
	runtime.GC()
	time.Sleep(10 * time.Millisecond) // for a collection that was under way
	before := times.Load()
	for range 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if times.Load() != before {
		t.Error("something was done although the context has ended")
	}
}

// Go's percentage includes stacks and globals.
func TestKeptBytes(t *testing.T) {
	const frames = 8 << 10 // each of over a kilobyte
	reached, end := make(chan struct{}), make(chan struct{})
	var deep sync.WaitGroup
	defer deep.Wait() // otherwise its stack would count in other tests
	defer close(end)
	runtime.GC()
	before := keptBytes()
	deep.Go(func() { descend(frames, func() { close(reached); <-end }) })
	<-reached
	runtime.GC()
	if after := keptBytes(); after < before+frames<<10 {
		t.Errorf("%d bytes are in use, %d before there was a stack of 8 MiB", after, before)
	}
}

func descend(frames int, atTheEnd func()) (sum byte) {
	var frame [1 << 10]byte
	if frames == 0 {
		atTheEnd()
		return 0
	}
	frame[frames%len(frame)] = descend(frames-1, atTheEnd)
	for _, b := range frame {
		sum += b
	}
	return sum
}

// collectUntil collects repeatedly, since the function to call after a collection may be registered while one is under
// way.
func collectUntil(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing was done after a collection")
		}
		runtime.GC()
	}
}

// The percentage is based on the heap after a collection, unless the environment sets one.
func TestCollectSeldom(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer cancel()
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Setenv("GOGC", "")
		t.Setenv("GOMEMLIMIT", "")
		t.Setenv(name, "50")
		CollectSeldom(ctx)
		if got := debug.SetGCPercent(100); got != 100 {
			t.Errorf("it is %d %%, although %s says what it is to be", got, name)
		}
	}
	t.Setenv("GOMEMLIMIT", "")
	kept := make([]byte, 16<<20)
	runtime.GC()
	CollectSeldom(ctx)
	got := debug.SetGCPercent(100)
	if runtime.KeepAlive(kept); got <= 100 || got > 200 {
		t.Errorf("it is %d %% with 16 MiB in use", got)
	}
}
