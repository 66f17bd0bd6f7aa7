//go:build race

package e2e

// buildFlags build the controller with the race detector if these tests have it.
var buildFlags = []string{"-race"}
