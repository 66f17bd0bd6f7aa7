//go:build !race

package lifecycle_test

const (
	underRace = false
	// randomSchedules is how many of them are tried if nobody says how many.
	randomSchedules = 500
)
