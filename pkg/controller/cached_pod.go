package controller

import (
	"bytes"

	corev1 "k8s.io/api/core/v1"
)

// cachedPod is a Pod as the cache holds it: trimmed to what rounds read, and, if the history or a plugin may need it,
// packed as a whole.
type cachedPod struct {
	corev1.Pod
	whole []byte // in protobuf; nil if it is not kept
}

// cachePod trims a Pod. The whole of it is kept if wanted, and of one that has failed in any case: a plugin may be asked
// what that means.
func cachePod(p *watchedPod, wholePods bool) *cachedPod {
	out := &cachedPod{Pod: *trimPod(&p.Pod)}
	if wholePods || p.Status.Phase == corev1.PodFailed {
		out.whole = bytes.Clone(p.whole) // which has room for more
	}
	return out
}

// unpack returns the whole Pod; nil if it was not kept.
func (p *cachedPod) unpack() *corev1.Pod {
	whole := &corev1.Pod{}
	if p.whole == nil || whole.Unmarshal(p.whole) != nil {
		return nil
	}
	return whole
}
