package controller

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// object is one name in the cluster, and how to get at it.
type object struct {
	name   string
	get    func(ctx context.Context, name string) (metav1.Object, error)
	delete func(ctx context.Context, name string, o metav1.DeleteOptions) error
}

func configMapObject(c *apiserver.Clients, r *record) object {
	client := c.Core.CoreV1().ConfigMaps(r.key.Namespace)
	return object{configMapName(r), trimmed(client.Get, ""), client.Delete}
}

func podObject(c *apiserver.Clients, r *record, ref lifecycle.TaskRef) object {
	return podObjectSince(c, r, ref, "")
}

// podObjectSince is podObject, but what it gets may be outdated by what is newer than a version.
func podObjectSince(c *apiserver.Clients, r *record, ref lifecycle.TaskRef, version string) object {
	client := c.Core.CoreV1().Pods(r.key.Namespace)
	return object{r.podName(ref), trimmed(client.Get, version), client.Delete}
}

// trimmed gets an object in the form in which the caches hold it; nil if there is none. It is of that version or a later
// one, and the latest for an empty version.
func trimmed[T metav1.Object](get func(context.Context, string, metav1.GetOptions) (T, error), version string) func(context.Context, string) (metav1.Object, error) {
	return func(ctx context.Context, name string) (metav1.Object, error) {
		found, err := get(ctx, name, metav1.GetOptions{ResourceVersion: version})
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		o, err := podview.Trim(found)
		return o.(metav1.Object), err
	}
}

// find asks what holds a name. If it is the object whose deletion was accepted, that counts as a failure, so
// that it is not asked for again at once.
func find(o object, deleted types.UID) request {
	return func(ctx context.Context) result {
		found, err := o.get(ctx, o.name)
		if err == nil && found != nil && found.GetUID() == deleted {
			err = errStillThere
		}
		return result{object: found, err: err}
	}
}

// findPod asks for a Pod. One that the watch has just ceased to show was there at that version: that it has gone since, an API
// server knows without asking its database, which is cheaper by far. Any other answer may be outdated.
func (p *performer) findPod(r *record, ref lifecycle.TaskRef) request {
	about := r.dependents.pod(r.podName(ref))
	latest := find(podObject(p.clients, r, ref), about.deleteRequested)
	last := about.unwatched
	if last == nil || last != about.refetching || last.GetUID() != r.status.podUID(ref) {
		return latest
	}
	since := find(podObjectSince(p.clients, r, ref, last.GetResourceVersion()), about.deleteRequested)
	return func(ctx context.Context) result {
		if outcome := since(ctx); outcome.err == nil && outcome.object == nil {
			return outcome
		}
		return latest(ctx)
	}
}
