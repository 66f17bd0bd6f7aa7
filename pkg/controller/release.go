package controller

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// releaseTimeout limits all requests of one release.
	releaseTimeout = time.Minute
	// releasePause is how long a ConfigMap that owns Pods is left alone. Finding out takes a list of all Pods.
	releasePause = time.Minute
	// podsAtOnce keeps the pages of that list short.
	podsAtOnce = 500
)

var (
	// errNotReleased: nothing was deleted for now.
	errNotReleased = fmt.Errorf("%w: it was not released", errStillThere)
	// errOwnsPods: the API server knows a Pod that the ConfigMap owns and that may run, so the garbage collector has to delete it
	// first.
	errOwnsPods = fmt.Errorf("%w, as it owns Pods", errNotReleased)
)

// releaseConfigMap removes from a ConfigMap that is being deleted the finalizer with which it waits for the garbage collector,
// as a background deletion would. It does so only if the API server, and not only our cache, knows no Pod that it owns,
// labelled or not, except Pods that no longer run anything. That answer is long, so it is requested for one ConfigMap at a
// time.
func (p *performer) releaseConfigMap(r *record, uid types.UID) request {
	namespace, background := r.key.Namespace, metav1.DeletePropagationBackground
	release := remove(configMapObject(p.clients, r), deletion{uid: uid, propagation: &background, confirm: true})
	return func(ctx context.Context) result {
		if !p.releasing.TryLock() {
			return result{err: errNotReleased}
		}
		defer p.releasing.Unlock()
		ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
		defer cancel()
		switch owns, err := p.ownsPods(ctx, namespace, uid); {
		case err != nil:
			return result{err: err}
		case owns:
			return result{err: errOwnsPods}
		}
		return release(ctx)
	}
}

// ownsPods asks whether an object owns any Pod that may run.
func (p *performer) ownsPods(ctx context.Context, namespace string, uid types.UID) (bool, error) {
	pods := p.clients.Metadata.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(namespace)
	owned := func(o metav1.PartialObjectMetadata) bool {
		return !p.watches.showsHeld(&o.ObjectMeta) && slices.ContainsFunc(o.OwnerReferences, func(r metav1.OwnerReference) bool { return r.UID == uid })
	}
	for next := (metav1.ListOptions{Limit: podsAtOnce}); ; {
		list, err := pods.List(ctx, next)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(list.Items, owned) {
			return true, nil
		}
		if next.Continue = list.Continue; next.Continue == "" {
			return false, nil
		}
	}
}
