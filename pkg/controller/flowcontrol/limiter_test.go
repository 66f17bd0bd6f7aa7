package flowcontrol

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// While nothing else keeps the API server busy, a few rounds have slots at the same time, otherwise one.
func TestLimiterBoundsRounds(t *testing.T) {
	for _, test := range []struct{ actions, want int }{
		{0, minShare}, {minShare, minShare}, {minShare + 1, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := NewLimiter(500, func() int { return test.actions })
			taken := acquireAll(l, 10)
			synctest.Wait()
			if n := taken.Load(); n != int32(test.want) {
				t.Errorf("with %d actions %d have a slot", test.actions, n)
			}
			l.release()
			synctest.Wait()
			if n := taken.Load(); n != int32(test.want+1) {
				t.Error("a slot that was given back is not taken")
			}
			l.Close()
		})
	}
}

// When the actions have ended, more than one waiting round begins.
func TestLimiterAfterActions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		actions := minShare + 1
		l := NewLimiter(500, func() int { return actions })
		taken := acquireAll(l, 10)
		synctest.Wait()
		actions = 0
		l.release()
		synctest.Wait()
		if n := taken.Load(); n != 1+minShare {
			t.Errorf("%d have had a slot", n)
		}
		l.Close()
	})
}

// acquireAll starts n goroutines that each acquire a slot, and counts the acquired slots.
func acquireAll(l *Limiter, n int) *atomic.Int32 {
	taken := &atomic.Int32{}
	for range n {
		go func() {
			if l.Acquire() {
				taken.Add(1)
			}
		}()
	}
	return taken
}

// noActions keep the API server busy.
func noActions() int { return 0 }

// A slow answer about one Framework blocks no other for long.
func TestSlotEndsWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(500, func() int { return minShare + 1 })
		l.Acquire()
		end := l.StartHold()
		start := time.Now()
		l.Acquire()
		if waited := time.Since(start); waited != maxHold {
			t.Errorf("waited for %s", waited)
		}
		end()
		synctest.Wait()
		if l.taken != 1 {
			t.Errorf("%d slots are taken: one was given back twice, or not at all", l.taken)
		}
	})
}

// Where many Frameworks are answered slowly about, they do not stop the others together either.
func TestManySlowRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(500, func() int { return minShare + 1 })
		l.Acquire()
		start := time.Now()
		for range 200 {
			end := l.StartHold()
			defer end()
			l.Acquire()
		}
		if waited := time.Since(start); waited > 6*time.Second {
			t.Errorf("who comes after 200 slow ones has waited for %s", waited)
		}
		for range 30 {
			end := l.StartHold()
			time.Sleep(maxHold / 2)
			end()
			l.Acquire()
		}
		if l.hold != maxHold {
			t.Errorf("a slot is held for %s at most, although all end in time again", l.hold)
		}
	})
}

// A controller that starts reads many Frameworks, and stores nothing about most of them.
func TestLimiterFollowsReads(t *testing.T) {
	l := NewLimiter(20, noActions)
	l.ObserveWrite(time.Millisecond)
	for range 1000 {
		l.ObserveRead(10 * time.Millisecond) // slow for a write, but not for a read
	}
	if l.limit != 20 {
		t.Errorf("%v slots although every answer comes quickly", l.limit)
	}
}

func TestLimiterFollowsTheServer(t *testing.T) {
	l := NewLimiter(20, noActions)
	observe := func(took time.Duration, times int) {
		for range times {
			l.ObserveWrite(took)
		}
	}
	observe(20*time.Millisecond, 1000)
	if l.limit != 20 {
		t.Errorf("%v slots although every answer comes quickly", l.limit)
	}
	observe(200*time.Millisecond, 100)
	if l.limit != 1 {
		t.Errorf("%v slots although writes queue up", l.limit)
	}
	observe(100*time.Millisecond, 1000) // slower than the fastest, but not as if they queued
	if l.limit != 20 {
		t.Errorf("%v slots although answers come quickly again", l.limit)
	}
}

// A server that has become permanently slower is not taken for a busy one for ever.
func TestLimiterForgetsTheBaseline(t *testing.T) {
	l := NewLimiter(20, noActions)
	l.ObserveWrite(time.Millisecond)
	for range 100 * baselineDecay / 10 {
		l.ObserveWrite(20 * time.Millisecond)
	}
	if l.limit != 20 {
		t.Errorf("%v slots", l.limit)
	}
}

func TestLimiterEnds(t *testing.T) {
	l := NewLimiter(1, noActions)
	l.Acquire()
	done := make(chan bool)
	go func() { done <- l.Acquire() }()
	l.Close()
	if <-done {
		t.Error("a slot after the end")
	}
}
