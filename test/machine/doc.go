// Package machine measures how fast this machine is, so that deadlines of tests are chosen once, for a quick machine, and
// hold on a slow or busy one too. A deadline only matters when something is wrong, so a longer one costs nothing elsewhere.
//
//	var patience = machine.Within(90 * time.Second)
package machine
