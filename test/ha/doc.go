// Package ha tests several controllers of which one leads, on a real API server: one that dies, is told to end, is paused
// or loses its network is replaced in time, nothing is done twice, and the one that has lost the lease writes nothing more.
// What counts is the audit log, in which each controller has a name of its own. The first run builds an API server and
// takes some minutes; -short skips it all.
package ha
