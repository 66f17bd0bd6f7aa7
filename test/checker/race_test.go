//go:build race

package checker

// apart is how far the histories are apart that are tried. Nothing here runs beside anything else, and the race detector makes
// it many times slower: make guard tries all.
const apart = 5
