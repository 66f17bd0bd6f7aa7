package controller

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestTurnsBoundRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(500)
		turns.take()
		taken := false
		go func() { taken = turns.take() }()
		synctest.Wait()
		if taken {
			t.Fatal("one turn too many")
		}
		turns.giveBack()
		synctest.Wait()
		if !taken {
			t.Error("a turn that was given back is not taken")
		}
	})
}

// A slow answer about one Framework stops nobody else for long.
func TestTurnEndsWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(500)
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

func TestTurnsFollowTheServer(t *testing.T) {
	turns := newTurns(20)
	learn := func(took time.Duration, times int) {
		for range times {
			turns.learn(took)
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
	learn(40*time.Millisecond, 1000)
	if turns.size != 20 {
		t.Errorf("%v turns although answers come quickly again", turns.size)
	}
}

// A server that has become slower for good is not taken for one that is busy, for ever.
func TestTurnsForgetTheFastest(t *testing.T) {
	turns := newTurns(20)
	turns.learn(time.Millisecond)
	for range 100 * forgetting / 10 {
		turns.learn(20 * time.Millisecond)
	}
	if turns.size != 20 {
		t.Errorf("%v turns", turns.size)
	}
}

func TestTurnsEnd(t *testing.T) {
	turns := newTurns(1)
	turns.take()
	done := make(chan bool)
	go func() { done <- turns.take() }()
	turns.close()
	if <-done {
		t.Error("a turn after the end")
	}
}
