package checker

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Recorder watches all Frameworks, ConfigMaps and Pods of a cluster. It sees every version, unless the API server
// ends: a new one does not know what happened before it, and that is a gap.
type Recorder struct {
	mu           sync.Mutex
	observations []Observation
	gaps         []Gap
	faults       []error
}

// followed is one kind of object.
type followed struct {
	client  dynamic.NamespaceableResourceInterface
	version string                    // the last that was seen
	there   map[types.UID]Observation // what is there
}

// Record begins to watch now, and goes on until ctx ends. Frameworks must be defined. What is there already counts as
// created now, so there should be nothing.
func Record(ctx context.Context, config *rest.Config) (*Recorder, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	r := &Recorder{}
	for _, resource := range []schema.GroupVersionResource{
		v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural),
		corev1.SchemeGroupVersion.WithResource("configmaps"),
		corev1.SchemeGroupVersion.WithResource("pods"),
	} {
		f := &followed{client: client.Resource(resource), there: map[types.UID]Observation{}}
		if err := r.list(ctx, f); err != nil {
			return nil, fmt.Errorf("listing %s: %w", resource.Resource, err)
		}
		go r.follow(ctx, f)
	}
	return r, nil
}

// History returns what was seen up to now.
func (r *Recorder) History() History {
	r.mu.Lock()
	defer r.mu.Unlock()
	return History{Observations: slices.Clone(r.observations), Gaps: slices.Clone(r.gaps)}
}

// Err says what was seen and could not be understood; nil if the history is complete.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.faults) == 0 {
		return nil
	}
	return fmt.Errorf("%d objects were not understood, the first: %w", len(r.faults), r.faults[0])
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

// drain notes events until the watch ends. Without an error, another may go on where it has ended.
func (r *Recorder) drain(events watch.Interface, f *followed) error {
	defer events.Stop()
	for e := range events.ResultChan() {
		o, ok := e.Object.(*unstructured.Unstructured)
		if !ok || e.Type == watch.Error {
			return apierrors.FromObject(e.Object)
		}
		f.version = o.GetResourceVersion()
		if e.Type != watch.Bookmark {
			r.note(f, o, e.Type == watch.Deleted)
		}
	}
	return nil
}

// bridge lists until that succeeds. Versions up to the list may be missing.
func (r *Recorder) bridge(ctx context.Context, f *followed) {
	from := number(f.version) + 1
	for ctx.Err() == nil && r.list(ctx, f) != nil {
		time.Sleep(100 * time.Millisecond)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() == nil {
		r.gaps = append(r.gaps, Gap{from, number(f.version)})
	}
}

// list notes what is there, and what is not there any more.
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
			r.keep(f, last)
		}
	}
	return nil
}

func (r *Recorder) note(f *followed, o *unstructured.Unstructured, gone bool) {
	s, err := see(o)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.faults = append(r.faults, fmt.Errorf("%s %s/%s: %w", o.GetKind(), o.GetNamespace(), o.GetName(), err))
		return
	}
	s.Gone = gone
	r.keep(f, s)
}

func (r *Recorder) keep(f *followed, s Observation) {
	uid := s.object().GetUID()
	if s.Gone {
		delete(f.there, uid)
	} else {
		f.there[uid] = s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observations = append(r.observations, s)
}

// see keeps of an object what rules look at.
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
		s.Pod.Spec = corev1.PodSpec{NodeName: s.Pod.Spec.NodeName}
		s.Pod.Status.Conditions = nil
		return s, err
	}
}

// number of a version; 0 if it is none.
func number(version string) uint64 {
	n, _ := strconv.ParseUint(version, 10, 64)
	return n
}
