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

// hintWatches follow the objects that hints want, so that what a scheduler says of them is heard of at once, and costs no
// requests while it says nothing. A kind is watched once a plugin wants that, until the controller ends. Where that is not
// allowed, the objects are read each time.
type hintWatches struct {
	client  dynamic.Interface
	enqueue func(cache.ObjectName, event)
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

func newHintWatches(client dynamic.Interface, enqueue func(cache.ObjectName, event), log hclog.Logger) *hintWatches {
	return &hintWatches{client: client, enqueue: enqueue, log: log, kinds: map[schema.GroupVersionResource]*kindWatch{}}
}

// follow begins to watch a kind. It reports whether a change of its objects is heard of by now.
func (w *hintWatches) follow(kind schema.GroupVersionResource) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kinds[kind] == nil {
		w.kinds[kind] = w.begin(kind)
	}
	return w.kinds[kind].works()
}

func (w *hintWatches) begin(kind schema.GroupVersionResource) *kindWatch {
	labelled := func(o *metav1.ListOptions) { o.LabelSelector = v1.KeyFrameworkName }
	k := &kindWatch{SharedIndexInformer: dynamicinformer.NewFilteredDynamicInformer(w.client, kind, metav1.NamespaceAll, 0, cache.Indexers{}, labelled).Informer()}
	// None of these can fail before the informer runs.
	_ = k.SetTransform(withoutManagedFields)
	_ = k.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		if k.breaks(err) {
			w.log.Warn("what a scheduler says cannot be watched; it is asked every few seconds", "kind", kind.GroupResource().String(), "error", err)
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

func (w *hintWatches) tell(o any) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	if u, ok := o.(*unstructured.Unstructured); ok {
		w.enqueue(cache.NewObjectName(u.GetNamespace(), u.GetLabels()[v1.KeyFrameworkName]), hintsChanged{})
	}
}

// get returns an object as the watch shows it; nil if it does not.
func (w *hintWatches) get(kind schema.GroupVersionResource, o *unstructured.Unstructured) *unstructured.Unstructured {
	w.mu.Lock()
	k := w.kinds[kind]
	w.mu.Unlock()
	if k == nil || !k.works() {
		return nil
	}
	seen, found, err := k.GetStore().GetByKey(cache.NewObjectName(o.GetNamespace(), o.GetName()).String())
	if err != nil || !found {
		return nil
	}
	return seen.(*unstructured.Unstructured)
}
