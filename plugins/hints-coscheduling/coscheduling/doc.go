// Package coscheduling presents the Pods of a Framework to the coscheduling plugin of kube-scheduler (kubernetes-sigs/scheduler-plugins).
// That plugin binds no Pod of a group until the minimum number of its Pods have a node.
//
// It promises, for each attempt: a PodGroup <framework>-<attempt> with the minimum of the gang and the longest time that it may hold nodes,
// and Pods that name the group and its scheduler. A setting that the scheduler does not support, or that would keep the Pods from ever
// being scheduled, is refused, with a text that names the field.
//
//	plugin.Serve(coscheduling.New())
//
// Later answers. The minimum follows the number of uncompleted Tasks, so that a Task that is retried alone is scheduled, too. Added Tasks
// do not raise the minimum: they are placed one by one.
package coscheduling
