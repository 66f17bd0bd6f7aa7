// Package volcano presents the Pods of a Framework to Volcano (volcano-sh/volcano), which places the Pods of a group all at once or not at
// all, within the quota of a queue.
//
// It promises one PodGroup for each attempt, <framework>-<attempt>, and Pods that belong to it. No Pod is created before Volcano has
// admitted the group (Inqueue): Pods that only wait would slow it down. Volcano's reason why a group waits is reported unchanged. If
// somebody deletes the group of a running attempt, the attempt is evicted. A setting that Volcano does not support is refused, with a text
// that names the field. A Framework without a queue, in spec.scheduling or by parameter, is left alone.
//
//	plugin.Serve(volcano.New())
//
// The minimum of the group follows the Tasks. Completed Tasks do not count: otherwise Volcano would wait for their Pods, and would never
// schedule a Task that is retried alone. A rescale changes the group before it creates Pods.
package volcano
