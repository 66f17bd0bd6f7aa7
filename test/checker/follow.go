package checker

import (
	"context"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// followed is one kind of object.
type followed struct {
	client  dynamic.NamespaceableResourceInterface
	version string                    // last seen
	watched bool                      // a watch has shown something
	there   map[types.UID]Observation // existing objects
}

func (r *Recorder) follow(ctx context.Context, f *followed) {
	for ctx.Err() == nil {
		events, err := f.client.Watch(ctx, metav1.ListOptions{ResourceVersion: f.version, AllowWatchBookmarks: true})
		if err == nil {
			err = r.drain(events, f)
		}
		switch {
		case apierrors.IsGone(err) || apierrors.IsResourceExpired(err):
			r.bridge(ctx, f)
		case err != nil:
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// drain records events until the watch ends. Without an error, another watch may continue where it has ended.
func (r *Recorder) drain(events watch.Interface, f *followed) error {
	defer events.Stop()
	for e := range events.ResultChan() {
		o, ok := e.Object.(*unstructured.Unstructured)
		if !ok || e.Type == watch.Error {
			return apierrors.FromObject(e.Object)
		}
		f.version, f.watched = o.GetResourceVersion(), true
		if e.Type != watch.Bookmark {
			r.note(f, o, e.Type == watch.Deleted)
		}
	}
	return nil
}

// bridge lists until that succeeds. Versions up to the list may be missing. If there was no watch before it, the past lasts until then: an
// API server that still fills its cache may list versions from which it cannot watch.
func (r *Recorder) bridge(ctx context.Context, f *followed) {
	from := number(f.version) + 1
	for ctx.Err() == nil && r.list(ctx, f) != nil {
		time.Sleep(100 * time.Millisecond)
	}
	if ctx.Err() != nil {
		return
	}
	if !f.watched {
		r.begins(f)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gaps = append(r.gaps, Gap{from, number(f.version)})
}

// list records the existing objects, and the ones that no longer exist.
func (r *Recorder) list(ctx context.Context, f *followed) error {
	list, err := f.client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	f.version = list.GetResourceVersion()
	listed := map[types.UID]bool{}
	for i := range list.Items {
		o := &list.Items[i]
		listed[o.GetUID()] = true
		if last, known := f.there[o.GetUID()]; !known || last.Version != number(o.GetResourceVersion()) {
			r.note(f, o, false)
		}
	}
	for uid, last := range f.there {
		if !listed[uid] {
			last.Gone, last.Version = true, number(f.version)
			r.keep(f, last, !r.skips(last.object()))
		}
	}
	return nil
}

func (r *Recorder) note(f *followed, o *unstructured.Unstructured, gone bool) {
	s, recorded := r.read(o)
	s.Gone = gone
	r.keep(f, s, recorded)
}

// read returns an object as observed, and whether it is recorded.
func (r *Recorder) read(o *unstructured.Unstructured) (s Observation, recorded bool) {
	if !r.skips(o) {
		s, err := see(o)
		if err == nil {
			return s, true
		}
		r.fault(o, err)
	}
	s, _ = see(outline(o))
	return s, false
}

func (r *Recorder) keep(f *followed, s Observation, recorded bool) {
	uid := s.object().GetUID()
	if before := f.there[uid].Framework; before != nil {
		share(before, s.Framework)
	}
	if s.Gone {
		delete(f.there, uid)
	} else {
		f.there[uid] = s
	}
	if recorded {
		r.record(s)
	}
	if r.options.Seen != nil {
		r.options.Seen(s)
	}
}

// outline leaves nothing of an object but its kind and its metadata.
func outline(o *unstructured.Unstructured) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{"metadata": o.Object["metadata"]}}
	out.SetGroupVersionKind(o.GroupVersionKind())
	return out
}

// see extracts the parts of an object that rules look at.
func see(o *unstructured.Unstructured) (Observation, error) {
	s := Observation{Version: number(o.GetResourceVersion())}
	o.SetManagedFields(nil)
	switch o.GetKind() {
	case v1.FrameworkKind:
		f, err := DecodeFramework(o)
		s.Framework = f
		return s, err
	case "ConfigMap":
		s.ConfigMap = &corev1.ConfigMap{}
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, s.ConfigMap)
		s.ConfigMap.Data = nil
		return s, err
	default:
		s.Pod = &corev1.Pod{}
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, s.Pod)
		s.Pod.Spec = corev1.PodSpec{NodeName: s.Pod.Spec.NodeName, Containers: onlyItem(s.Pod)}
		s.Pod.Status.Conditions = nil
		return s, err
	}
}

// number returns a version as a number; 0 if it is none.
func number(version string) uint64 {
	n, _ := strconv.ParseUint(version, 10, 64)
	return n
}
