// Package e2e holds the tests of the controller as a whole: its binary runs against a real API server with simulated nodes, and the tests
// see what users see. The first run builds the control plane and takes some minutes; -short skips all tests.
//
//	go test ./test/e2e                          all, in two to three minutes
//	go test ./test/e2e -run TestTraces/addrole  one story
//	go test -race ./test/e2e                    with the race detector in the controller too
//	go test ./test/e2e -seed 7                  with the points at which the controller is killed chosen by that seed
//
// Every test is a story in a namespace of its own (story_test.go). One controller runs them all (process_test.go). Beside the stories, a
// recorder (recorder_test.go) watches every Framework, ConfigMap and Pod from the first to the last write, and when a story ends the
// checker (test/checker) checks its observations: no two Pods of one Task at once, nothing created before the status that calls for it was
// stored, nothing running after the status said that it had ended, and so on. So each story is also a test of the guarantees.
package e2e
