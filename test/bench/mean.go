package main

import "math"

// mean is the geometric mean of ratios, for which twice as long and half as long cancel out, and its standard error, which
// is not a number if there is one ratio only.
func mean(ratios []float64) (ratio, err float64) {
	n := float64(len(ratios))
	sum, squares := 0.0, 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	for _, r := range ratios {
		d := math.Log(r) - sum/n
		squares += d * d
	}
	ratio = math.Exp(sum / n)
	return ratio, ratio * math.Sqrt(squares/(n-1)/n)
}
