// Package barrier holds a Task until every Task of its Framework has an address, and then writes the addresses to files
// (contract 10). It is the whole of the frameworkbarrier program, which runs as an init container of each Pod.
//
// It promises the environment, the ready rule, the exit codes and the files of the original barrier. It needs at most
// get, list and watch on frameworks, works with get alone, and writes only its own files.
//
//	os.Exit(barrier.Run(ctx, barrier.Options{Getenv: os.Getenv, Dir: ".", Version: version, Stderr: os.Stderr}))
//
// Waiting is one watch: the controller sets status.gate once all Tasks have addresses, and a watch that selects on it
// receives a single event, which carries the whole Framework. The gate is only a hint when to look: the ready rule is
// checked on the Framework in the event.
//
// A role that starts after others has a gate of its own (status.gates), whose revision changes with each opening of a
// role. When every Task has an address, the role's barriers watch for a new revision, until it is their turn.
//
//	look (one row: is it there, is the gate in use) -> watch for the gate -> ready? -> the role's turn? -> files
//	  ^                        | not supported            | ends, breaks      |             no: watch for another revision
//	  |                        v                          |                  no: go on
//	  +-- pause, jittered <----|--------------------------+
//	                           +-> poll the whole Framework every BARRIER_CHECK_INTERVAL_SEC, as the original does
//
// At the deadline, the whole Framework is read once more, whatever happened before.
package barrier
