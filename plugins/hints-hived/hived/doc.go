// Package hived presents the Pods of a Framework to HiveD (microsoft/hivedscheduler). HiveD gives a group of Pods their cells, such as
// GPUs, all at once or not at all, within the quota of a virtual cluster.
//
// It promises, for each role whose Pods want cells: the annotation pod-scheduling-spec, the limit pod-scheduling-enable, the schedulerName,
// and NVIDIA_VISIBLE_DEVICES from what HiveD decides. All of these roles are one affinity group, <namespace>/<framework>-attempt-<id>,
// which is unique in the cluster. A request that HiveD would refuse is refused, with a text that names the parameter or the role. A role is
// left alone if it wants no cells, if a parameter leaves it out, or if its template already has the annotation.
//
//	plugin.Serve(hived.New())
//
// The queue of the Framework is the virtual cluster if no parameter names one. Its priority class is an entry of the parameter
// priorityClasses, which maps it to a priority of HiveD. HiveD places all Pods of a group together, wherever their cells are: a smaller
// gang and a required topology are refused.
//
// Rescale. HiveD fixes a group with the first Pod that it sees of it, and all Pods of a group must bring the same spec. So the spec
// (virtual cluster, priority, cells and members) stays the same for the rest of an attempt, even if parameters change; the roles that want
// cells, and their number, container and scheduler, are read again. The number of Pods may fall, and rise to its first value again. HiveD
// keeps the cells of all Pods until the last Pod of the group has ended, with any gangReleaseEnable, and then deletes the group. A later
// Pod creates it again in its full size. More Pods than the group was made for are refused: a second group for them would neither be
// scheduled together with the first one, nor be the right one for Pods that are retried. The next attempt has a group of its own, of the
// new size.
package hived
