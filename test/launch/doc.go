// Package launch runs the controller's binary, or another program, beside a cluster of the tests, and records how each of its processes has
// ended.
//
// A Process is one life. To restart a controller, as a cluster would, start another Process in the same work dir; it appends to the log,
// and each Process knows its own part. Tests start one through clustertest.StartController.
package launch
