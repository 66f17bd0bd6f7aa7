package controller

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// listener turns changes in the watches into events of Frameworks.
type listener struct {
	watches *watches
	enqueue func(cache.ObjectName, event)
	// othersChanged is called with a Framework that has been created or deleted.
	othersChanged func(cache.ObjectName)
	// noteVersions receives two versions of a Framework in the order of the watch. The first is empty for a new Framework.
	noteVersions func(before, after string)
}

// listen turns changes in the watches into events and keys, starting with the contents of the caches. Nobody processes events
// while the controller stands by, so it is called after that.
func (l *listener) listen() error {
	if err := onListed(l.watches.frameworks, l.frameworkEvent, l.frameworkListed); err != nil {
		return err
	}
	if err := on(l.watches.configMaps, l.dependentEvent(configMapKind)); err != nil {
		return err
	}
	return on(l.watches.pods, l.dependentEvent(podKind))
}

// on calls handle with the object before and after each change; one of them may be nil. An update that joins two objects with
// the same name is handled as a deletion and an addition (contract 2.10).
func on(informer cache.SharedIndexInformer, handle func(before, after metav1.Object)) error {
	return onListed(informer, handle, func(o metav1.Object) { handle(nil, o) })
}

// onListed is on with a separate handler for the objects that the cache had at the beginning.
func onListed(informer cache.SharedIndexInformer, handle func(before, after metav1.Object), listed func(metav1.Object)) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(o any, atFirst bool) {
			if atFirst {
				listed(o.(metav1.Object))
				return
			}
			handle(nil, o.(metav1.Object))
		},
		UpdateFunc: func(before, after any) {
			b, a := before.(metav1.Object), after.(metav1.Object)
			if b.GetUID() != a.GetUID() {
				handle(b, nil)
				b = nil
			}
			handle(b, a)
		},
		DeleteFunc: func(o any) {
			if unknown, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = unknown.Obj
			}
			if before, ok := o.(metav1.Object); ok {
				handle(before, nil)
			}
		},
	})
	return err
}

// frameworkListed schedules a first look at a Framework that existed before this controller: with low priority, unless it has
// an attempt that must not wait.
func (l *listener) frameworkListed(f metav1.Object) {
	key := cache.MetaObjectToName(f)
	if l.watches.hasDependents(key) {
		l.frameworkEvent(nil, f)
		return
	}
	l.enqueue(key, listed{})
}

// frameworkEvent reports a change of a Framework. A watch that starts over shows all of them again, and most are unchanged.
func (l *listener) frameworkEvent(before, after metav1.Object) {
	if before != nil && after != nil {
		if before.GetResourceVersion() == after.GetResourceVersion() {
			return
		}
	}
	if before == nil || after == nil {
		l.othersChanged(cache.MetaObjectToName(cmp.Or(after, before)))
	}
	if after != nil {
		l.noteVersions(versionOf(before), after.GetResourceVersion())
		l.enqueue(cache.MetaObjectToName(after), frameworkChanged{})
		return
	}
	deleted, _ := before.(*metav1.PartialObjectMetadata)
	l.enqueue(cache.MetaObjectToName(before), frameworkChanged{deleted: deleted})
}

// versionOf returns the version of an object; empty if it is nil.
func versionOf(o metav1.Object) string {
	if o == nil {
		return ""
	}
	return o.GetResourceVersion()
}

func (l *listener) dependentEvent(kind objectKind) func(before, after metav1.Object) {
	return func(before, after metav1.Object) {
		o, n := after, objectChanged{kind: kind}
		switch {
		case after == nil:
			o = before
			n.pod, _ = before.(*podview.CachedPod)
			if goneForCertain(before) {
				n.deletedUID = before.GetUID()
			} else {
				n.unwatched = before
			}
		case before != nil && !podview.Changed(before, after):
			return
		}
		n.name, n.podFailed, n.configMapGoes = o.GetName(), podFailed(o, after != nil), configMapGoes(o, after != nil)
		if key, ok := podview.FrameworkOf(o); ok && kind.mayHave(key.Name, n.name) {
			l.enqueue(key, n)
		}
	}
}
