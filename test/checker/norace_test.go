//go:build !race

package checker

// apart is how far the histories are apart that are tried.
const apart = 1
