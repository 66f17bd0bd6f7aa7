// Package volcano presents the Pods of a Framework to Volcano (volcano-sh/volcano), which gives the Pods of a group their
// places all at once or not at all, within the quota of a queue.
//
// It promises one PodGroup for each attempt, <framework>-<attempt>, and Pods that belong to it. No Pod is created before
// Volcano has let the group into the cluster (Inqueue): Pods that only wait would slow it down. Why a group waits is told
// in Volcano's words. If somebody deletes the group of an attempt that runs, the attempt is taken back. What Volcano cannot
// do is refused, with a text that names the field. Frameworks that have no queue, in spec.scheduling or by parameter, are
// left alone.
//
//	plugin.Serve(volcano.New())
//
// The minimum of the group follows the Tasks: those that have completed are out of it, as Volcano would wait for their Pods
// otherwise, and never schedule a Task that is retried alone. A rescale changes the group before it creates Pods.
package volcano
