//go:build race

package controller

// The race detector makes everything several times slower.
const crashAtFew = true
