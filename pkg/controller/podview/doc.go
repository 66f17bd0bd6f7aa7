// Package podview reduces API objects to the data for decisions: Pods and ConfigMaps to lifecycle.Pod and lifecycle.ConfigMap.
//
// It is pure: its results depend only on the object. It holds no cache and no connection.
//
// # Words
//
//   - A WatchedPod is a Pod as read by the watch: the fields that Trim reads, and the encoded Pod as a whole.
//   - A CachedPod is a Pod in the form of the cache: trimmed, and packed as a whole if the history or a plugin may need that.
//   - Trim keeps the fields that PodOf, DisruptionOf and ConfigMapOf read. Their results are the same before and after.
//   - A cause of a stall is why a Pod that has not ended makes no progress.
//   - A disruption is why somebody else deletes a Pod.
//   - A Pod is held if only finalizers keep it.
//   - Words are messages of scheduler and kubelet, cut to one short line.
//
// # Data flow
//
//	protobuf -> WatchedPod -> NewCachedPod -> CachedPod -> PodOf -> lifecycle.Pod
//	                                              |
//	                                              +-> Changed: is an update an event at all?
package podview
