//go:build race

package e2e

// race says whether the controller is built with the race detector: if these tests are.
const race = "true"
