//go:build !race

package lifecycle_test

const (
	underRace = false
	// storiesApart is how far the files of stories are apart that are told.
	storiesApart = 1
	// randomSchedules is how many of them are tried if nobody says how many.
	randomSchedules = 500
)
