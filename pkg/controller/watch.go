package controller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/hintobjects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// watches are the caches of the watched resources.
//
// Frameworks are watched by their metadata only and read one by one when they change. So an object that does not decode cannot
// stop the watch of the others, and our own status writes, which may be large, are not sent back to us. ConfigMaps and Pods
// with our label are watched, and so are Services once a Framework has one.
type watches struct {
	frameworks, configMaps, pods cache.SharedIndexInformer
	companions                   *hintobjects.Watches[selection] // Services only

	begin sync.Once
}

// byFramework indexes dependents by the key of the Framework with which their name begins.
const byFramework = "framework"

func newWatches(c *apiserver.Clients, wholePods bool, archives, judgesPending func() bool, b *flowcontrol.MemoryBudget) (*watches, error) {
	labelled := func(o *metav1.ListOptions) { o.LabelSelector = v1.KeyFrameworkName }
	gvr := v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)
	w := &watches{
		frameworks: metadatainformer.NewFilteredMetadataInformer(c.FrameworkWatch, gvr, metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer(),
		configMaps: coreinformers.NewFilteredConfigMapInformer(c.CoreWatch, metav1.NamespaceAll, 0, cache.Indexers{}, labelled),
		pods:       newPodInformer(c.PodWatch, labelled),
	}
	for _, informer := range w.all() {
		if err := informer.SetTransform(trimmer(wholePods, archives, judgesPending, b)); err != nil {
			return nil, fmt.Errorf("setting up a watch: %w", err)
		}
	}
	if _, err := w.configMaps.AddEventHandler(configMapsCounted(b)); err != nil {
		return nil, fmt.Errorf("setting up a watch: %w", err)
	}
	if _, err := w.pods.AddEventHandler(podsCounted(b)); err != nil {
		return nil, fmt.Errorf("setting up a watch: %w", err)
	}
	return w, nil
}

func newPodInformer(client rest.Interface, tweak func(*metav1.ListOptions)) cache.SharedIndexInformer {
	pods := cache.NewFilteredListWatchFromClient(client, string(corev1.ResourcePods), metav1.NamespaceAll, tweak)
	return cache.NewSharedIndexInformerWithOptions(pods, &podview.WatchedPod{}, cache.SharedIndexInformerOptions{
		Indexers:          cache.Indexers{byFramework: frameworkIndex},
		ObjectDescription: "*v1.Pod", // in the log
	})
}

func (w *watches) all() []cache.SharedIndexInformer {
	return []cache.SharedIndexInformer{w.frameworks, w.configMaps, w.pods}
}

// start starts watching until ctx ends. Further calls do nothing.
func (w *watches) start(ctx context.Context) {
	w.begin.Do(func() {
		for _, informer := range w.all() {
			go informer.RunWithContext(ctx)
		}
	})
}

// filled returns once all caches are filled or ctx has ended.
func (w *watches) filled(ctx context.Context) error {
	if !cache.WaitForCacheSync(ctx.Done(), w.frameworks.HasSynced, w.configMaps.HasSynced, w.pods.HasSynced) {
		return fmt.Errorf("filling the caches: %w", context.Cause(ctx))
	}
	return nil
}

// full reports whether all caches are filled.
func (w *watches) full() bool {
	for _, informer := range w.all() {
		if !informer.HasSynced() {
			return false
		}
	}
	return true
}

func (w *watches) framework(key cache.ObjectName) metav1.Object {
	return cached[*metav1.PartialObjectMetadata](w.frameworks, key)
}

// deleting reports whether the cache shows that the Framework of that UID is being deleted.
func (w *watches) deleting(key cache.ObjectName, uid types.UID) bool {
	f := w.framework(key)
	return f != nil && f.GetUID() == uid && f.GetDeletionTimestamp() != nil
}

func (w *watches) configMap(namespace, name string) metav1.Object {
	return cached[*corev1.ConfigMap](w.configMaps, cache.NewObjectName(namespace, name))
}

func (w *watches) pod(namespace, name string) metav1.Object {
	if p := w.cachedPod(namespace, name); p != nil {
		return &p.Pod
	}
	return nil
}

func (w *watches) cachedPod(namespace, name string) *podview.CachedPod {
	p, _ := cached[*podview.CachedPod](w.pods, cache.NewObjectName(namespace, name)).(*podview.CachedPod)
	return p
}

// podNames lists the cached Pods whose names begin with the Framework's.
func (w *watches) podNames(framework cache.ObjectName) []string {
	found, err := w.pods.GetIndexer().ByIndex(byFramework, framework.String())
	if err != nil {
		return nil // only if there is no such index
	}
	names := make([]string, len(found))
	for i, o := range found {
		names[i] = o.(*podview.CachedPod).Name
	}
	return names
}

// hasDependents reports whether the caches have any object with the name of a dependent of the Framework.
func (w *watches) hasDependents(framework cache.ObjectName) bool {
	return w.configMap(framework.Namespace, v1.ConfigMapName(framework.Name)) != nil || len(w.podNames(framework)) > 0
}

// cached returns the object of that name in a cache; nil if there is none.
func cached[T metav1.Object](informer cache.SharedIndexInformer, key cache.ObjectName) metav1.Object {
	o, found, err := informer.GetStore().GetByKey(key.String())
	if err != nil || !found {
		return nil
	}
	return o.(T)
}

func frameworkIndex(o any) ([]string, error) {
	key, ok := podview.FrameworkOf(o.(metav1.Object))
	if !ok {
		return nil, nil
	}
	return []string{key.String()}, nil
}

// mayHave reports whether a dependent of the kind may have the name. Anybody can label an object whose name merely begins with
// the name of a Framework; such an object does not concern the attempt.
func (k objectKind) mayHave(framework, name string) bool {
	if k == configMapKind {
		return name == v1.ConfigMapName(framework)
	}
	_, _, ok := v1.ParsePodName(framework, name)
	return ok
}

// goneForCertain reports whether an object that the watch no longer shows is deleted, or as good as deleted. It may only have
// lost the label that the watch selects: then a Pod that has not ended still runs, even while it is being deleted.
func goneForCertain(o metav1.Object) bool {
	if p, isPod := o.(*podview.CachedPod); isPod {
		return podview.Ended(p.Status.Phase) || podview.Removed(&p.Pod)
	}
	return o.GetDeletionTimestamp() != nil
}

// podFailed reports whether an object, as last seen, is a Pod that has failed, or is being deleted without having succeeded.
// That may end its attempt.
func podFailed(o metav1.Object, shown bool) bool {
	p, isPod := o.(*podview.CachedPod)
	if !isPod || p.Status.Phase == corev1.PodSucceeded {
		return false
	}
	return podview.Failed(&p.Pod) || p.DeletionTimestamp != nil || !shown
}

// configMapGoes reports whether an object, as last seen, is a ConfigMap that is being deleted, or may be gone. Objects still
// to be created for its attempt would have to be deleted again.
func configMapGoes(o metav1.Object, shown bool) bool {
	_, isConfigMap := o.(*corev1.ConfigMap)
	return isConfigMap && (o.GetDeletionTimestamp() != nil || !shown)
}

// reportBreaks reports broken watches to an observer. It is normal that the API server ends a watch after a while.
func (w *watches) reportBreaks(to Observer) error {
	for resource, informer := range map[string]cache.SharedIndexInformer{
		v1.FrameworkPlural: w.frameworks,
		"configmaps":       w.configMaps,
		"pods":             w.pods,
	} {
		err := informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
			cache.DefaultWatchErrorHandler(ctx, r, err)
			if !errors.Is(err, io.EOF) {
				to.WatchBroke(resource)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
