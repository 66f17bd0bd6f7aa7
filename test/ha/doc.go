// Package ha tests several controllers with one leader, on a real API server: a leader that dies, is asked to end, is paused or loses
// its network is replaced in time, nothing is done twice, and a controller that has lost the lease writes nothing more. The audit log, in
// which each controller has a name of its own, is the evidence. The first run builds an API server and takes some minutes; -short skips all
// tests.
package ha
