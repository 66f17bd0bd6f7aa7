// Package simulation holds the test of the simulated nodes (../stages.yaml). It starts a cluster, so it is kept apart
// from the tests that take no time.
package simulation
