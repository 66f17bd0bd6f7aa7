// Package hived presents the Pods of a Framework to HiveD (microsoft/hivedscheduler). HiveD gives a group of Pods their
// cells, such as GPUs, all at once or not at all, within the quota of a virtual cluster.
//
// It promises, for each role whose Pods want cells: the annotation pod-scheduling-spec, the limit
// pod-scheduling-enable, the schedulerName, and NVIDIA_VISIBLE_DEVICES from what HiveD decides. All of these roles are one
// affinity group, <namespace>/<framework>-attempt-<id>, which is unique in the cluster. What HiveD would refuse is
// refused, with a text that names the parameter or the role. Other roles are left alone: those that want no cells, those
// that are left out by parameter, and those whose template has the annotation already.
//
//	plugin.Serve(hived.New())
//
// What the Framework asks of its scheduler: its queue is the virtual cluster, if there is no such parameter, and its priority
// class is one of the parameter priorityClasses, which has HiveD's priority for it. HiveD places all Pods of a group together,
// wherever their cells are: a smaller gang and a required topology are refused.
//
// Rescale. HiveD fixes a group with the first Pod that it sees of it, and all Pods of a group must bring the same spec.
// So for the rest of an attempt the spec (virtual cluster, priority, cells and members) stays what it was, also if
// parameters are changed meanwhile; which roles want cells, how many, for which container and by which scheduler is
// read anew. Fewer Pods fit in, and as many as before again; HiveD keeps the cells of all until the last Pod of the group
// has ended, whatever gangReleaseEnable says, and then forgets the group: a Pod that comes then starts it anew in its full
// size. More Pods than the group was made for are refused: a second group for them would neither be scheduled
// together with the first one, nor be the right one for Pods that are retried. The next attempt has a group of its own,
// of the new size.
package hived
