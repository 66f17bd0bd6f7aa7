package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A heap gets its room, and a large one what Go gives it.
func TestRoomOfTheHeap(t *testing.T) {
	for live, want := range map[uint64]int{0: 1000, 1 << 20: 1000, 8 << 20: 400, 16 << 20: 200, 32 << 20: 100, 1 << 30: 100} {
		if got := percentFor(live); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", live, got, want)
		}
	}
}

// What is to be done after each collection is done again and again.
func TestAfterEachCollection(t *testing.T) {
	done := make(chan struct{})
	afterEachCollection(func() { go func() { done <- struct{}{} }() })
	<-done
	for range 3 {
		runtime.GC()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was done after a collection")
		}
	}
}

// The percentage is that of the heap as it is after a collection.
func TestCollectSeldom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t.Setenv("GOGC", "50")
	collectSeldom()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("it is %d %%, although the environment says what it is to be", got)
	}
	t.Setenv("GOGC", "")
	kept := make([]byte, 16<<20)
	runtime.GC()
	collectSeldom()
	got := debug.SetGCPercent(100)
	if runtime.KeepAlive(kept); got < 150 || got > 200 {
		t.Errorf("it is %d %% with 16 MiB in use", got)
	}
}
