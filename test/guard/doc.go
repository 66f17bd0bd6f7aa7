// Package guard holds what Frameworks cost to limits that no machine's speed changes: it counts, and times nothing.
//
//	make guard # prints the table: measure, value, limit
//
// The controller runs in the process of the test, against an API server of pkg/controller/apitest. Its words:
//
//   - A life covers Frameworks from their creation to their deletion: its requests and status writes (life_test.go).
//   - An event is one Pod's change, until the round ends that stores it: the controller's allocations (event_test.go).
//   - An idle Framework runs while nothing happens: the heap and the goroutines that it costs (idle_test.go).
//   - A mistake makes the controller worse: TestGuardFails makes mistakes that must be found (mistakes_test.go).
//
// Some counts depend on time all the same: how many changes share a status write, and which Pods the watch has not shown yet. A limit
// (guard_test.go) is the worst of several runs, of 20 for each life, on two cores with a load of twelve and more, and a margin that is
// smaller than the effect of a mistake. When you make the controller cheaper, lower the limit; when you raise one, explain in the commit
// what the cost buys. The race detector allocates too, so it is not used here.
package guard
