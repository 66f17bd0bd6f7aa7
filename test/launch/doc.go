// Package launch runs the controller's binary, or another program, beside a cluster of the tests, and knows how each process
// of it has ended.
//
// A Process is one life. Who starts a controller again, as a cluster would, starts another one in the same work dir; the
// log goes on, and each Process knows which part of it is its own. Tests start one through clustertest.StartController.
package launch
