//go:build race

package lifecycle_test

// Nothing here runs beside anything else, and the race detector makes it many times slower. So it watches a part of what is
// tried, and make guard tries all.
const (
	underRace       = true
	storiesApart    = 4
	randomSchedules = 50
)
