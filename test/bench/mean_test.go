package main

import (
	"math"
	"testing"
)

func TestMean(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ratios     []float64
		ratio, err float64
	}{
		{[]float64{1.2, 1.2, 1.2}, 1.2, 0},
		{[]float64{0.5, 2}, 1, math.Ln2},
		{[]float64{1, 1, 8}, 2, 2 * math.Ln2},
		{[]float64{3}, 3, math.NaN()},
	} {
		ratio, err := mean(test.ratios)
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
		if !near(ratio, test.ratio) || !near(err, test.err) {
			t.Errorf("%v: %v +- %v", test.ratios, ratio, err)
		}
	}
}

// A row says how sure it is, unless it is of one round.
func TestUncertainty(t *testing.T) {
	t.Parallel()
	same := func(x float64) float64 { return x }
	several := compare("a", []float64{1, 2}, []float64{2, 1}, same).cells()
	if several[3] != "1.00 x" || several[4] != "0.69" || several[5] != "0.50 to 2.00" {
		t.Errorf("several rounds: %q", several)
	}
	once := compare("a", []float64{2}, []float64{3}, same).cells()
	if once[3] != "1.50 x" || once[4] != "" || once[5] != "" {
		t.Errorf("one round: %q", once)
	}
}
