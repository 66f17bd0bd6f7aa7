package controller

import (
	"bytes"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

// cachedPod is a Pod as the cache holds it: trimmed to what rounds read, and, if the history or a plugin may need it,
// packed as a whole.
type cachedPod struct {
	corev1.Pod
	whole []byte // in protobuf; nil if it is not kept
}

// cachePod trims a Pod, and keeps the whole of it if wanted.
func cachePod(p *watchedPod, whole bool) *cachedPod {
	out := &cachedPod{Pod: *trimPod(&p.Pod)}
	if whole {
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

// bytes estimates what the cache holds of it.
func (p *cachedPod) bytes() int64 { return podBytes + int64(len(p.whole)) }

// podsCounted keeps account of what the cache holds. A Pod that is deleted is shown as it was then, and not as it was cached,
// so that is remembered. Events come one after the other.
func podsCounted(b *flowcontrol.MemoryBudget) cache.ResourceEventHandler {
	entered := map[cache.ObjectName]int64{}
	enter := func(p *cachedPod, bytes int64) {
		name := cache.MetaObjectToName(p)
		framework, _ := frameworkOf(p)
		b.AddPods(framework, bytes-entered[name])
		if entered[name] = bytes; bytes == 0 {
			delete(entered, name)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { enter(o.(*cachedPod), o.(*cachedPod).bytes()) },
		UpdateFunc: func(_, o any) { enter(o.(*cachedPod), o.(*cachedPod).bytes()) },
		DeleteFunc: func(o any) {
			if unknown, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = unknown.Obj
			}
			if p, ok := o.(*cachedPod); ok {
				enter(p, 0)
			}
		},
	}
}
