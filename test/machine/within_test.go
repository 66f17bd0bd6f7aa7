package machine

import (
	"testing"
	"time"
)

func TestWithin(t *testing.T) {
	if got := Within(time.Minute); got < time.Minute || got > 4*time.Minute {
		t.Errorf("a minute becomes %s", got)
	}
	if first, second := Within(time.Minute), Within(time.Minute); first != second {
		t.Errorf("the factor changes while tests run: %s, then %s", first, second)
	}
}

func TestSlowMachinesGetMoreTime(t *testing.T) {
	for _, test := range []struct {
		took time.Duration
		want float64
	}{
		{reference / 2, 1},
		{reference, 1},
		{2 * reference, 2},
		{100 * reference, 4},
	} {
		if got := bounded(test.took); got != test.want {
			t.Errorf("work of %s: factor %v, want %v", test.took, got, test.want)
		}
	}
}
