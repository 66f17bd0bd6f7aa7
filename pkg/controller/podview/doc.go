// Package podview reduces objects of the API to what decisions look at: Pods and ConfigMaps to lifecycle.Pod and
// lifecycle.ConfigMap.
//
// It is pure: what it returns follows from the object alone. It holds no cache and no connection.
//
// # Words
//
//   - A WatchedPod is a Pod as the watch reads it: what Trim looks at, and the whole of it as it came.
//   - A CachedPod is a Pod as the cache holds it: trimmed, and packed as a whole if the history or a plugin may need that.
//   - Trim keeps what PodOf, DisruptionOf and ConfigMapOf look at. It changes nothing of what they return.
//   - A cause of a stall is why a Pod that has not ended does not get going.
//   - A disruption is why others have a Pod go.
//   - A Pod is held if nothing but finalizers keeps it.
//   - Words are what scheduler and kubelet say, cut to one short line.
//
// # Data flow
//
//	protobuf -> WatchedPod -> NewCachedPod -> CachedPod -> PodOf -> lifecycle.Pod
//	                                              |
//	                                              +-> Changed: is an update an event at all?
package podview
