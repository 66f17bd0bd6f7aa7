package flowcontrol

import (
	"fmt"
	"testing"
	"time"
)

const gibi = 1 << 30

// written lets Frameworks of namespaces write as often as they may, and returns the bytes of each namespace in each minute.
func written(b *StorageBudget, bytes int, frameworks map[string]int, minutes int) []map[string]int {
	start := time.Unix(1_700_000_000, 0)
	due := map[string]time.Time{}
	sums := make([]map[string]int, minutes)
	for step := range minutes * 60 * 10 {
		now := start.Add(time.Duration(step) * 100 * time.Millisecond)
		minute := step / 600
		if sums[minute] == nil {
			sums[minute] = map[string]int{}
		}
		for namespace, n := range frameworks {
			for i := range n {
				key := fmt.Sprint(namespace, i)
				if !now.Before(due[key]) {
					due[key] = b.Written(namespace, bytes, now)
					sums[minute][namespace] += bytes
				}
			}
		}
	}
	return sums
}

// However many Frameworks write however long, the versions of ten minutes take at most three quarters of the quota, and one write of each.
func TestStorageBudgetFitsIntoTheQuota(t *testing.T) {
	const bytes, minutes, quota = 500 << 10, 40, 2 * gibi
	for _, frameworks := range []map[string]int{{"a": 1}, {"a": 40}, {"a": 20, "b": 1, "c": 1}} {
		n := 0
		for _, each := range frameworks {
			n += each
		}
		sums := written(NewStorageBudget(quota), bytes, frameworks, minutes)
		for first := range minutes - 9 {
			total := 0
			for _, minute := range sums[first : first+10] {
				for _, sum := range minute {
					total += sum
				}
			}
			if most := quota*3/4 + n*bytes; total > most {
				t.Fatalf("%v: %d MiB in the ten minutes from minute %d on, want at most %d", frameworks, total/mebi, first, most/mebi)
			}
			if least := quota * 3 / 8; total < least {
				t.Fatalf("%v: only %d MiB in the ten minutes from minute %d on", frameworks, total/mebi, first)
			}
		}
	}
}

// The author of twenty large Frameworks takes no more from a neighbor than the author of one.
func TestStorageBudgetIsSharedByNamespaces(t *testing.T) {
	sums := written(NewStorageBudget(2*gibi), 500<<10, map[string]int{"a": 20, "b": 1}, 30)
	a, b := 0, 0
	for _, minute := range sums[20:] {
		a, b = a+minute["a"], b+minute["b"]
	}
	if ratio := float64(a) / float64(b); ratio < 0.8 || ratio > 1.25 {
		t.Errorf("%d MiB of 20 Frameworks, %d MiB of one in another namespace", a/mebi, b/mebi)
	}
}

func TestStorageBudgetLimitsOnlyMany(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	b := NewStorageBudget(64 * mebi) // 20 MiB at once, then 44 KiB a second
	write := func(bytes int) time.Duration { return b.Written("a", bytes, now).Sub(now) }
	for range 20 {
		if d := write(mebi); d != 0 {
			t.Errorf("waits %v though there is room", d)
		}
	}
	if d := write(mebi).Round(time.Second); d != 24*time.Second {
		t.Errorf("beyond the room, the next write of a MiB is due after %v", d)
	}
	if d := write(largeWrite - 1); d != 0 {
		t.Errorf("a small status waits %v", d)
	}
	now = now.Add(-time.Hour)
	if d := write(mebi); d < 0 || d > 2*time.Hour {
		t.Errorf("after the clock was put back, it waits %v", d)
	}
	now = now.Add(2 * time.Hour)
	if d := write(mebi); d != 0 {
		t.Errorf("waits %v though the room is free again", d)
	}
	for _, none := range []*StorageBudget{nil, NewStorageBudget(0)} {
		if got := none.Written("a", gibi, now); got != now {
			t.Errorf("without a quota it is due at %v", got)
		}
	}
}
