package main

import (
	"math"
	"testing"
)

func TestRatioOfTotals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		below, above []float64
		ratio, err   float64
	}{
		{[]float64{1, 2, 3}, []float64{2, 4, 6}, 2, 0},
		{[]float64{1, 1}, []float64{1, 2}, 1.5, 0.5},
		{[]float64{2, 1, 1}, []float64{1, 2, 1}, 1, math.Sqrt(2*3./2) / 4},
		{[]float64{2}, []float64{3}, 1.5, math.NaN()},
	} {
		ratio, err := ratioOfTotals(test.below, test.above)
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
		if !near(ratio, test.ratio) || !near(err, test.err) {
			t.Errorf("%v to %v: %v +- %v", test.above, test.below, ratio, err)
		}
	}
}

// A row shows its uncertainty, unless it has only one round.
func TestUncertainty(t *testing.T) {
	t.Parallel()
	same := func(x float64) float64 { return x }
	several := compare("a", []float64{1, 1}, []float64{1, 2}, same).cells()
	if several[3] != "1.50 x" || several[4] != "0.50" || several[5] != "1.00 to 2.00" {
		t.Errorf("several rounds: %q", several)
	}
	nothing := compare("a", []float64{0, 2}, []float64{1, 2}, same).within(1).cells()
	if nothing[3] != "-" || nothing[5] != "" || nothing[6] != "1.00 x" || nothing[7] != "unknown" {
		t.Errorf("a round without a floor: %q", nothing)
	}
	once := compare("a", []float64{2}, []float64{3}, same).cells()
	if once[3] != "1.50 x" || once[4] != "" || once[5] != "" {
		t.Errorf("one round: %q", once)
	}
}
