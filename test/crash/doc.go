// Package crash kills the controller's process at each of its writes in turn, and the next process has to bring the
// Framework to the same end. It does so before the write reaches the API server, and after it took effect. The API server
// is a real one, and the nodes are simulated.
//
// Each play of a story has a namespace, a proxy and a controller of its own. The proxy numbers the writes, sends the
// SIGKILL, and shows the controller nothing but its namespace, so that several plays can go on at a time. Leases, which
// are not used here, and events are no writes in this sense. By default one side of each write is tried, "before" and
// "after" in turn; -all tries both.
//
// A sink sends the history of all plays to one server. A play ends when the server has each attempt and each verdict exactly once.
//
// pkg/controller has the same in one process, with many more stories, in seconds.
package crash
