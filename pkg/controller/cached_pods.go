package controller

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// trimmer returns the function that reduces an object to the parts that are read, before it enters a cache. Within the memory
// budget, a Pod is kept whole if wholePods is set, if it has failed, as a plugin may be asked about the failure, if it does
// not get to run and a plugin may be asked about it, or if it ends and is to be archived. An object that was already trimmed is returned as it is.
func trimmer(wholePods bool, archives, judgesPending func() bool, b *flowcontrol.MemoryBudget) cache.TransformFunc {
	return func(o any) (any, error) {
		if p, ok := o.(*podview.WatchedPod); ok {
			key, _ := podview.FrameworkOf(p)
			keep := wholePods || podview.Failed(&p.Pod) || p.Status.Phase == corev1.PodPending && judgesPending() ||
				(p.DeletionTimestamp != nil || podview.Ended(p.Status.Phase)) && archives()
			return podview.NewCachedPod(p, keep && b.Exceeded(key) == nil), nil
		}
		return podview.Trim(o)
	}
}

// podsCounted keeps account of the cached Pods. A deleted Pod is shown as it was at the end, not as it was cached, so the
// cached size is remembered. Events come one after the other.
func podsCounted(b *flowcontrol.MemoryBudget) cache.ResourceEventHandler {
	entered := map[cache.ObjectName]int64{}
	enter := func(p *podview.CachedPod, bytes int64) {
		name := cache.MetaObjectToName(p)
		framework, _ := podview.FrameworkOf(p)
		b.AddPods(framework, bytes-entered[name])
		if entered[name] = bytes; bytes == 0 {
			delete(entered, name)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { enter(o.(*podview.CachedPod), cachedBytes(o.(*podview.CachedPod))) },
		UpdateFunc: func(_, o any) { enter(o.(*podview.CachedPod), cachedBytes(o.(*podview.CachedPod))) },
		DeleteFunc: func(o any) {
			if unknown, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = unknown.Obj
			}
			if p, ok := o.(*podview.CachedPod); ok {
				enter(p, 0)
			}
		},
	}
}

// configMapsCounted keeps account of cached ConfigMaps, most of whose content is trimmed.
func configMapsCounted(b *flowcontrol.MemoryBudget) cache.ResourceEventHandler {
	enter := func(o any, bytes int64) {
		if unknown, ok := o.(cache.DeletedFinalStateUnknown); ok {
			o = unknown.Obj
		}
		if cm, ok := o.(*corev1.ConfigMap); ok {
			framework, _ := podview.FrameworkOf(cm)
			b.AddObjects(framework, bytes)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { enter(o, objectBytes) },
		DeleteFunc: func(o any) { enter(o, -objectBytes) },
	}
}

// cachedBytes estimates the memory that a cached Pod takes.
func cachedBytes(p *podview.CachedPod) int64 { return podBytes + int64(p.WholeBytes()) }
