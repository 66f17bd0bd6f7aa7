// Package workload presents the Pods of a Framework to Kubernetes' own gang scheduling: kube-scheduler places a pod group as a
// whole, or not at all.
//
// It promises, for each attempt: a Workload <framework>-<attempt>, from 1.36 on a PodGroup for each of its groups too, and the
// field of each Pod that says which group it is in. All Tasks are one group, of which as many have to be placed together as
// the Framework's gang says. Only if the gang is said by role alone, each role is a group of its own. What the cluster cannot
// do is refused, with a text that names the field.
//
//	plugin.Serve(workload.New())
//
// Which form the API has in the cluster, the question says, by the versions that are served; or the parameter form does. An
// attempt keeps the form that it has begun with.
//
// Later answers. A Task stays in the group that it was in. What else may change differs:
//
//	v1alpha1  groups cannot be changed, so a Workload is made anew if its minimum falls. Added Tasks get a Workload of their own.
//	v1alpha2  the same, but a PodGroup stays as long as it has Pods, and its minimum with it.
//	v1beta1   the minimum may change: one group grows and shrinks with its Tasks.
package workload
