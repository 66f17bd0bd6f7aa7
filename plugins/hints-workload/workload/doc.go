// Package workload presents the Pods of a Framework to Kubernetes' own gang scheduling: kube-scheduler places a pod group as a whole, or
// not at all.
//
// It promises, for each attempt: a Workload <framework>-<attempt>, from 1.36 on a PodGroup for each of its groups too, and the field of
// each Pod that names its group. All Tasks are one group, and the Framework's gang sets how many of them have to be placed together. If the
// gang has minimums of roles alone, each role is its own group. A setting that the cluster does not support is refused, with a text that
// names the field.
//
//	plugin.Serve(workload.New())
//
// The form of the API follows from the served versions in the question, or from the parameter form. An attempt keeps its first form.
//
// Later answers. A Task stays in its group. Other changes depend on the form:
//
//	v1alpha1  groups cannot be changed, so a Workload is made anew if its minimum falls. Added Tasks get a Workload of their own.
//	v1alpha2  the same, but a PodGroup stays as long as it has Pods, and its minimum with it.
//	v1beta1   the minimum may change: one group grows and shrinks with its Tasks.
package workload
