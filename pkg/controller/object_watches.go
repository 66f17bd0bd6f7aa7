package controller

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
)

// objectWatches follow labelled objects of kinds that not every Framework has, so that what happens to them is heard of at
// once, and costs no requests while nothing does. A kind is watched once that is wanted, until the controller ends. Where
// that is not allowed, the objects are read each time.
type objectWatches struct {
	client  dynamic.Interface
	changed func(cache.ObjectName) // is told the Framework of an object that has changed
	broken  string                 // what is logged when a kind cannot be watched
	log     hclog.Logger
	ctx     context.Context // of the watches

	mu    sync.Mutex
	kinds map[schema.GroupVersionResource]*kindWatch
}

// kindWatch is the watch of one kind.
type kindWatch struct {
	cache.SharedIndexInformer
	// brokenAt is the version that the watch had come to when it broke last; empty if it never did.
	brokenAt atomic.Pointer[string]
}

func newObjectWatches(client dynamic.Interface, changed func(cache.ObjectName), broken string, log hclog.Logger) *objectWatches {
	return &objectWatches{client: client, changed: changed, broken: broken, log: log, kinds: map[schema.GroupVersionResource]*kindWatch{}}
}

// telling returns what puts an event into the mailbox of a Framework.
func telling(enqueue func(cache.ObjectName, event), e event) func(cache.ObjectName) {
	return func(framework cache.ObjectName) { enqueue(framework, e) }
}

// follow begins to watch a kind. It reports whether a change of its objects is heard of by now.
func (w *objectWatches) follow(kind schema.GroupVersionResource) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kinds[kind] == nil {
		w.kinds[kind] = w.begin(kind)
	}
	return w.kinds[kind].works()
}

func (w *objectWatches) begin(kind schema.GroupVersionResource) *kindWatch {
	labelled := func(o *metav1.ListOptions) { o.LabelSelector = v1.KeyFrameworkName }
	k := &kindWatch{SharedIndexInformer: dynamicinformer.NewFilteredDynamicInformer(w.client, kind, metav1.NamespaceAll, 0, cache.Indexers{}, labelled).Informer()}
	// None of these can fail before the informer runs.
	_ = k.SetTransform(withoutManagedFields)
	_ = k.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		if k.breaks(err) {
			w.log.Warn(w.broken, "kind", kind.GroupResource().String(), "error", err)
		}
	})
	_, _ = k.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    w.tell,
		UpdateFunc: func(_, o any) { w.tell(o) },
		DeleteFunc: w.tell,
	})
	go k.RunWithContext(w.ctx)
	return k
}

// works reports whether the watch shows what there is. After a break it does so once it has gone on.
func (k *kindWatch) works() bool {
	broken := k.brokenAt.Load()
	return k.HasSynced() && (broken == nil || *broken != k.LastSyncResourceVersion())
}

// breaks notes an error of the watch, and reports whether it is one that has to be told: the API server ends watches now and
// then, and each try after a break fails in the same way.
func (k *kindWatch) breaks(err error) bool {
	if errors.Is(err, io.EOF) || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return false
	}
	version := k.LastSyncResourceVersion()
	before := k.brokenAt.Swap(&version)
	return before == nil || *before != version
}

func withoutManagedFields(o any) (any, error) {
	if u, ok := o.(*unstructured.Unstructured); ok {
		u.SetManagedFields(nil)
	}
	return o, nil
}

func (w *objectWatches) tell(o any) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	if u, ok := o.(*unstructured.Unstructured); ok {
		w.changed(cache.NewObjectName(u.GetNamespace(), u.GetLabels()[v1.KeyFrameworkName]))
	}
}

// get returns an object as the watch shows it; nil if it does not.
func (w *objectWatches) get(kind schema.GroupVersionResource, o *unstructured.Unstructured) *unstructured.Unstructured {
	seen, _ := w.shown(kind, o.GetNamespace(), o.GetName())
	return seen
}

// shown returns the object of that name as the watch shows it; nil if it does not. Works is whether the kind is watched, and
// the watch shows what there is.
func (w *objectWatches) shown(kind schema.GroupVersionResource, namespace, name string) (seen *unstructured.Unstructured, works bool) {
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
	return o.(*unstructured.Unstructured), true
}
