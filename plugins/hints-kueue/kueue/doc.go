// Package kueue has Kueue (kubernetes-sigs/kueue) decide when an attempt of a Framework may run, within the quota of a queue.
// Kueue places no Pods: that is left to the scheduler that they name.
//
// It promises one Workload for each attempt, <framework>-<attempt>, with a pod set for each role, and no Pod before Kueue
// has admitted it. The Pods of a role get the assignments of their pod set: the labels, annotations, tolerations and node
// selectors of admission checks and of topology. A parameter has the values for each flavor, as a plugin cannot read
// flavors. If Kueue evicts the Workload, the attempt is taken back. Reasons are reported in Kueue's words. Kueue does not
// manage the Pods themselves: its integration of plain Pods does not support the retry of one Pod of a group.
//
//	plugin.Serve(kueue.New())
//
// Rescale. The pod sets of a Workload are fixed while it has quota. The Workload is kept: to create it again would give its
// quota to another Workload while its Pods run. Added Tasks get their own Workload, <framework>-<attempt>-r<n>, and wait for
// its admission. If all its Tasks are removed again, that Workload is deleted, and its quota is free. Completed Tasks are
// reported to Kueue as reclaimable; all other quota is held until the attempt ends.
package kueue
