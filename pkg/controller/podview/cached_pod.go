package podview

import (
	"bytes"

	corev1 "k8s.io/api/core/v1"
)

// CachedPod is a Pod as the cache holds it: trimmed to what rounds read, and, if the history or a plugin may need it,
// packed as a whole.
type CachedPod struct {
	corev1.Pod
	whole []byte // in protobuf; nil if it is not kept
}

// NewCachedPod trims a Pod, and keeps the whole of it if wanted.
func NewCachedPod(p *WatchedPod, whole bool) *CachedPod {
	out := &CachedPod{Pod: *trimPod(&p.Pod)}
	if whole {
		out.whole = bytes.Clone(p.whole) // which has room for more
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

// WholeBytes is how much is kept of it beside the trimmed Pod; 0 if the whole of it is not kept.
func (p *CachedPod) WholeBytes() int { return len(p.whole) }
