package podview

import (
	"bytes"

	corev1 "k8s.io/api/core/v1"
)

// CachedPod is a Pod in the form of the cache: trimmed to the fields that rounds read, and, if the history or a plugin may
// need it, packed as a whole.
type CachedPod struct {
	corev1.Pod
	whole []byte // in protobuf; nil if it is not kept
}

// NewCachedPod trims a Pod, and also keeps it as a whole if requested.
func NewCachedPod(p *WatchedPod, whole bool) *CachedPod {
	out := &CachedPod{Pod: *trimPod(&p.Pod)}
	if whole {
		out.whole = bytes.Clone(p.whole) // the original has spare capacity
	}
	return out
}

// Unpack returns the whole Pod; nil if it was not kept.
func (p *CachedPod) Unpack() *corev1.Pod {
	whole := &corev1.Pod{}
	if p.whole == nil || whole.Unmarshal(p.whole) != nil {
		return nil
	}
	return whole
}

// WholeBytes is the size of the packed Pod beside the trimmed one; 0 if it is not kept.
func (p *CachedPod) WholeBytes() int { return len(p.whole) }
