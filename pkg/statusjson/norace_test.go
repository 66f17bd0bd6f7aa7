//go:build !race

package statusjson

const (
	underRace = false
	failures  = 1000
	changes   = 50
	hugeTexts = 1
)
