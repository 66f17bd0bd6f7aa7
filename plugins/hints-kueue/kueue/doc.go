// Package kueue has Kueue (kubernetes-sigs/kueue) decide when an attempt of a Framework may run, within the quota of a queue.
// Kueue places no Pods: that is left to the scheduler that they name.
//
// It promises one Workload for each attempt, <framework>-<attempt>, with a pod set for each role, and no Pod before Kueue
// has admitted it. What Kueue assigns to a pod set, the Pods of the role get: labels, annotations, tolerations and node
// selectors of admission checks and of topology, and those that a parameter has for its flavors, which a plugin cannot read.
// If Kueue evicts the Workload, the attempt is taken back. Reasons are told in Kueue's words. The Pods themselves are none of
// Kueue's business: its integration of plain Pods cannot bear that one of a group is retried.
//
//	plugin.Serve(kueue.New())
//
// Rescale. The pod sets of a Workload are fixed while it has quota. To make it anew would give its quota away, under Pods
// that run, to whoever waits; so it is kept. Tasks that are added get a Workload of their own, <framework>-<attempt>-r<n>, and
// wait for that. If all Tasks of such a one are removed again, it goes, with its quota. Of Tasks that have completed, Kueue is told;
// other quota is held until the attempt ends.
package kueue
