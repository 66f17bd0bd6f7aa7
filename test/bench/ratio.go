package main

import "math"

// ratioOfTotals returns how many times the total of one side is that of the other, and the standard error. That is not a
// number if there was one round only. The values of a round belong together, as both sides saw the same machine.
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
