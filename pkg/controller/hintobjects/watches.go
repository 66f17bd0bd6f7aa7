package hintobjects

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-hclog"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// Watches watch labeled objects of kinds that not every Framework has. Their changes are known at once, and without changes there are
// no requests. A kind is watched from its first use until the controller ends. If watching is forbidden, the objects are read each
// time.
//
// Anybody can label objects. The caches keep only the metadata of objects that no Framework can own, and the needed content of
// the others, as long as their namespace is within its limit.
type Watches[T any] struct {
	WatchOptions[T]
	ctx context.Context // ends the watches

	mu    sync.Mutex
	kinds map[schema.GroupVersionResource]*kindWatch
}

// WatchOptions configure the watches of objects and their use.
type WatchOptions[T any] struct {
	Client      dynamic.Interface
	Reading     Reading[T]
	Memory      *flowcontrol.MemoryBudget
	ObjectBytes int64                  // memory of a cached object without its content
	Changed     func(cache.ObjectName) // receives the Framework of an object that has changed
	Broken      string                 // log message when a kind cannot be watched
	Log         hclog.Logger
}

// NewWatches returns watches that start on demand, and end with ctx.
func NewWatches[T any](ctx context.Context, o WatchOptions[T]) *Watches[T] {
	return &Watches[T]{WatchOptions: o, ctx: ctx, kinds: map[schema.GroupVersionResource]*kindWatch{}}
}

// Reading defines how objects are reduced before they enter a cache.
type Reading[T any] struct {
	// MayOwn reports whether an object with this controller can belong to the Framework that its label names.
	MayOwn func(framework string, controller *metav1.OwnerReference) bool
	// Read returns the parts of such an object that rounds need, and their size in bytes; 0 if it is too small to count, and
	// always kept.
	Read func(*unstructured.Unstructured) (content T, bytes int)
}

// WatchedObject is an object in the form of the cache.
type WatchedObject[T any] struct {
	metav1.ObjectMeta     // as trimmed
	Content           *T  // nil if it is not kept
	bytes             int // size of the content; 0 if it is too small to count
}

// kindWatch is the watch of one kind.
type kindWatch struct {
	cache.SharedIndexInformer
	// brokenAt is the version of the watch when it last broke; empty if it never did.
	brokenAt atomic.Pointer[string]
}

// Ensure watches a kind from the first call on. It reports whether the watch shows its objects by now.
func (w *Watches[T]) Ensure(kind schema.GroupVersionResource) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kinds[kind] == nil {
		w.kinds[kind] = w.begin(kind)
	}
	return w.kinds[kind].works()
}

func (w *Watches[T]) begin(kind schema.GroupVersionResource) *kindWatch {
	labelled := func(o *metav1.ListOptions) { o.LabelSelector = v1.KeyFrameworkName }
	k := &kindWatch{SharedIndexInformer: dynamicinformer.NewFilteredDynamicInformer(w.Client, kind, metav1.NamespaceAll, 0, cache.Indexers{}, labelled).Informer()}
	// None of these can fail before the informer runs.
	_ = k.SetTransform(w.trim)
	_ = k.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		if k.breaks(err) {
			w.Log.Warn(w.Broken, "kind", kind.GroupResource().String(), "error", err)
		}
	})
	_, _ = k.AddEventHandler(w.counted())
	_, _ = k.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    w.notify,
		UpdateFunc: func(_, o any) { w.notify(o) },
		DeleteFunc: w.notify,
	})
	go k.RunWithContext(w.ctx)
	return k
}

// trim reduces an object to the parts that are read. An object that was already trimmed is returned as it is.
func (w *Watches[T]) trim(o any) (any, error) {
	whole, ok := o.(*unstructured.Unstructured)
	if !ok {
		return o, nil
	}
	out := &WatchedObject[T]{ObjectMeta: podview.TrimMeta(whole)}
	key := labelledFor(out)
	if !w.Reading.MayOwn(key.Name, metav1.GetControllerOfNoCopy(out)) {
		return out, nil
	}
	if content, bytes := w.Reading.Read(whole); bytes == 0 || w.Memory.Exceeded(key) == nil {
		out.Content, out.bytes = &content, bytes
	}
	return out, nil
}

// labelledFor returns the Framework named by the label of an object.
func labelledFor[T any](o *WatchedObject[T]) cache.ObjectName {
	return cache.NewObjectName(o.Namespace, o.Labels[v1.KeyFrameworkName])
}

// counted keeps account of the cached objects of a kind. A deleted object is shown as it was at the end, not as it was cached,
// so the cached size and owner are remembered. Events come one after the other.
func (w *Watches[T]) counted() cache.ResourceEventHandler {
	type entry struct {
		framework cache.ObjectName
		bytes     int64
	}
	held := map[cache.ObjectName]entry{}
	enter := func(o any, kept bool) {
		if unknown, ok := o.(cache.DeletedFinalStateUnknown); ok {
			o = unknown.Obj
		}
		seen, ok := o.(*WatchedObject[T])
		if !ok {
			return
		}
		name := cache.MetaObjectToName(seen)
		before := held[name]
		delete(held, name)
		if kept {
			held[name] = entry{labelledFor(seen), w.ObjectBytes + int64(seen.bytes)}
			w.Memory.AddObjects(held[name].framework, held[name].bytes)
		}
		w.Memory.AddObjects(before.framework, -before.bytes)
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { enter(o, true) },
		UpdateFunc: func(_, o any) { enter(o, true) },
		DeleteFunc: func(o any) { enter(o, false) },
	}
}

// works reports whether the watch shows the current state. After a break it does so once it has resumed.
func (k *kindWatch) works() bool {
	broken := k.brokenAt.Load()
	return k.HasSynced() && (broken == nil || *broken != k.LastSyncResourceVersion())
}

// breaks records an error of the watch, and reports whether it is worth logging: the API server ends watches now and then, and
// each try after a break fails in the same way.
func (k *kindWatch) breaks(err error) bool {
	if errors.Is(err, io.EOF) || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return false
	}
	version := k.LastSyncResourceVersion()
	before := k.brokenAt.Swap(&version)
	return before == nil || *before != version
}

func (w *Watches[T]) notify(o any) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	if seen, ok := o.(*WatchedObject[T]); ok {
		w.Changed(labelledFor(seen))
	}
}

// Shown returns the object of that name as the watch shows it; nil if it does not. Works reports whether the kind is watched
// and the watch shows the current state.
func (w *Watches[T]) Shown(kind schema.GroupVersionResource, namespace, name string) (seen *WatchedObject[T], works bool) {
	w.mu.Lock()
	k := w.kinds[kind]
	w.mu.Unlock()
	if k == nil || !k.works() {
		return nil, false
	}
	o, found, err := k.GetStore().GetByKey(cache.NewObjectName(namespace, name).String())
	if err != nil || !found {
		return nil, true
	}
	return o.(*WatchedObject[T]), true
}
