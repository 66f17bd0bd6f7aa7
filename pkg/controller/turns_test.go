package controller

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// While nothing else keeps the API server busy, a few have their turns together, and one at a time otherwise.
func TestTurnsBoundRounds(t *testing.T) {
	for _, test := range []struct{ actions, want int }{
		{0, share}, {manyActions - 1, share}, {manyActions, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			turns := newTurns(500, func() int { return test.actions })
			taken := takeAll(turns, 10)
			synctest.Wait()
			if n := taken.Load(); n != int32(test.want) {
				t.Errorf("with %d actions %d have a turn", test.actions, n)
			}
			turns.giveBack()
			synctest.Wait()
			if n := taken.Load(); n != int32(test.want+1) {
				t.Error("a turn that was given back is not taken")
			}
			turns.close()
		})
	}
}

// When the actions have ended, more than one of those who wait begin.
func TestTurnsAfterActions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		actions := manyActions
		turns := newTurns(500, func() int { return actions })
		taken := takeAll(turns, 10)
		synctest.Wait()
		actions = 0
		turns.giveBack()
		synctest.Wait()
		if n := taken.Load(); n != 1+share {
			t.Errorf("%d have had a turn", n)
		}
		turns.close()
	})
}

// takeAll has so many take a turn each, and counts them as they do.
func takeAll(turns *turns, n int) *atomic.Int32 {
	taken := &atomic.Int32{}
	for range n {
		go func() {
			if turns.take() {
				taken.Add(1)
			}
		}()
	}
	return taken
}

// noActions keep the API server busy.
func noActions() int { return 0 }

// A slow answer about one Framework stops nobody else for long.
func TestTurnEndsWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(500, func() int { return manyActions })
		turns.take()
		end := turns.limit()
		start := time.Now()
		turns.take()
		if waited := time.Since(start); waited != longestTurn {
			t.Errorf("waited for %s", waited)
		}
		end()
		synctest.Wait()
		if turns.taken != 1 {
			t.Errorf("%d turns are taken: one was given back twice, or not at all", turns.taken)
		}
	})
}

// Where many Frameworks are answered slowly about, they do not stop the others together either.
func TestManySlowTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(500, func() int { return manyActions })
		turns.take()
		start := time.Now()
		for range 200 {
			end := turns.limit()
			defer end()
			turns.take()
		}
		if waited := time.Since(start); waited > 6*time.Second {
			t.Errorf("who comes after 200 slow ones has waited for %s", waited)
		}
		for range 30 {
			end := turns.limit()
			time.Sleep(longestTurn / 2)
			end()
			turns.take()
		}
		if turns.longest != longestTurn {
			t.Errorf("a turn takes %s at most, although all end in time again", turns.longest)
		}
	})
}

// A controller that starts reads many Frameworks, and stores nothing about most of them.
func TestTurnsFollowReads(t *testing.T) {
	turns := newTurns(20, noActions)
	turns.learnWrite(time.Millisecond)
	for range 1000 {
		turns.learnRead(10 * time.Millisecond) // slow for a write, but not for a read
	}
	if turns.size != 20 {
		t.Errorf("%v turns although every answer comes quickly", turns.size)
	}
}

func TestTurnsFollowTheServer(t *testing.T) {
	turns := newTurns(20, noActions)
	learn := func(took time.Duration, times int) {
		for range times {
			turns.learnWrite(took)
		}
	}
	learn(20*time.Millisecond, 1000)
	if turns.size != 20 {
		t.Errorf("%v turns although every answer comes quickly", turns.size)
	}
	learn(200*time.Millisecond, 100)
	if turns.size != 1 {
		t.Errorf("%v turns although writes queue up", turns.size)
	}
	learn(100*time.Millisecond, 1000) // slower than the fastest, but not as if they queued
	if turns.size != 20 {
		t.Errorf("%v turns although answers come quickly again", turns.size)
	}
}

// A server that has become slower for good is not taken for one that is busy, for ever.
func TestTurnsForgetTheFastest(t *testing.T) {
	turns := newTurns(20, noActions)
	turns.learnWrite(time.Millisecond)
	for range 100 * forgetting / 10 {
		turns.learnWrite(20 * time.Millisecond)
	}
	if turns.size != 20 {
		t.Errorf("%v turns", turns.size)
	}
}

func TestTurnsEnd(t *testing.T) {
	turns := newTurns(1, noActions)
	turns.take()
	done := make(chan bool)
	go func() { done <- turns.take() }()
	turns.close()
	if <-done {
		t.Error("a turn after the end")
	}
}
