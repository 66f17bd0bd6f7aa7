package main

import "math"

// ratioOfTotals returns the total of one side divided by the total of the other, and the standard error, which is NaN for a single round.
// The values of a round belong together, because both sides saw the same machine.
func ratioOfTotals(below, above []float64) (ratio, err float64) {
	var totalBelow, totalAbove, squares float64
	for i := range below {
		totalBelow += below[i]
		totalAbove += above[i]
	}
	ratio = totalAbove / totalBelow
	for i := range below {
		d := above[i] - ratio*below[i]
		squares += d * d
	}
	n := float64(len(below))
	return ratio, math.Sqrt(squares*n/(n-1)) / totalBelow
}
