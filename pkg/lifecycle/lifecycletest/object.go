package lifecycletest

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// owner is the UID of the object's controller; empty if it is nobody's, or somebody else's.
func (o *object) owner() types.UID {
	if o.name.kind == configMaps {
		return o.configMap.FrameworkUID
	}
	return o.pod.ConfigMapUID
}

// viewConfigMap is the core's view of a ConfigMap.
func (o *object) viewConfigMap(cached bool) *lifecycle.ConfigMap {
	if o == nil {
		return nil
	}
	view := o.configMap
	view.UID, view.Cached, view.Deleting = o.uid, cached, o.deleting
	return &view
}

// viewPod is the core's view of a Pod.
func (o *object) viewPod(cached bool) *lifecycle.Pod {
	if o == nil {
		return nil
	}
	view := o.pod.Pod
	view.UID, view.Cached, view.Deleting = o.uid, cached, o.deleting
	if o.deleting {
		view.Finalizers = o.pod.finalizer
	}
	if view.Phase == lifecycle.PodFailed || view.Phase == lifecycle.PodSucceeded {
		view.Outcome.Disruption = o.pod.disruption
	}
	view.Unstarted = view.Phase == lifecycle.PodPending && view.NodeName != "" && !view.Deleting && !o.pod.initializing
	view.HasLogs = view.Phase == lifecycle.PodRunning || view.Phase == lifecycle.PodSucceeded || view.Phase == lifecycle.PodFailed || o.pod.initializing
	return &view
}

// viewDisruption is the reason why others end a Pod; nil if none is known.
func (o *object) viewDisruption() *lifecycle.Disruption {
	if o == nil || o.pod.disruption == nil {
		return nil
	}
	return &lifecycle.Disruption{PodUID: o.uid, Disruption: *o.pod.disruption}
}

// newer returns the later version of two views of one name; nil is older than anything.
func newer(a, b *object) *object {
	if a == nil || b != nil && b.version > a.version {
		return b
	}
	return a
}

func sortObjects(objects []*object) {
	slices.SortFunc(objects, func(a, b *object) int { return compareRefs(a.name.ref, b.name.ref) })
}

func compareRefs(a, b lifecycle.TaskRef) int {
	return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Index, b.Index))
}
