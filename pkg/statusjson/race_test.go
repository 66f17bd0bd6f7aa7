//go:build race

package statusjson

// underRace says whether the race detector watches, which makes what looks at each byte many times slower.
const underRace = true

const (
	// failures is how many failed Tasks stand for the ten thousand of a large Framework.
	failures = 200
	// changes is how many states an encoder sees, a few of each kind.
	changes = 12
	// hugeTexts is of how many texts one is tried huge.
	hugeTexts = 30
)
