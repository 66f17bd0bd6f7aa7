package controller

import (
	corev1 "k8s.io/api/core/v1"
)

// cachedPod is a Pod as the cache holds it: trimmed to what rounds read, and, if the history needs it, packed as a
// whole.
type cachedPod struct {
	corev1.Pod
	whole []byte // in protobuf; nil if it is not kept
}

// unpack returns the whole Pod; nil if it was not kept.
func (p *cachedPod) unpack() *corev1.Pod {
	whole := &corev1.Pod{}
	if p.whole == nil || whole.Unmarshal(p.whole) != nil {
		return nil
	}
	return whole
}

// packPod keeps all of a Pod but the record of who has set which field, which may be as large as the rest.
func packPod(p *corev1.Pod) []byte {
	without := *p
	without.ManagedFields = nil
	whole, err := without.Marshal()
	if err != nil {
		return nil
	}
	return whole
}
