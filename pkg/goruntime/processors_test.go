package goruntime

import "testing"

func TestProcessors(t *testing.T) {
	for available, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 8: 4, 64: 4} {
		if got := processors(available); got != want {
			t.Errorf("%d of %d", got, available)
		}
	}
}
