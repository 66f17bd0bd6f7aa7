// Package coscheduling presents the Pods of a Framework to the coscheduling plugin of kube-scheduler
// (kubernetes-sigs/scheduler-plugins), which binds the Pods of a group when so many of them have found a node, and none
// before.
//
// It promises, for each attempt: a PodGroup <framework>-<attempt> with the minimum of the gang and how long it may hold
// nodes, and Pods that name it and its scheduler. What the scheduler cannot be told, or what would never be scheduled, is
// refused, with a text that names the field.
//
//	plugin.Serve(coscheduling.New())
//
// Later answers. The minimum follows the Tasks that are left, so that one that is retried alone is scheduled, too. Tasks that
// are added do not raise it: they are placed one by one.
package coscheduling
