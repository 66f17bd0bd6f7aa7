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

// object is one name in the cluster, with its requests.
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

// podObjectSince is podObject, but its answers need only be as new as a version.
func podObjectSince(c *apiserver.Clients, r *record, ref lifecycle.TaskRef, version string) object {
	client := c.Core.CoreV1().Pods(r.key.Namespace)
	return object{r.podName(ref), trimmed(client.Get, version), client.Delete}
}

// trimmed gets an object in the form of the caches; nil if there is none. The object is at least as new as the version; an
// empty version asks for the latest.
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

// find asks which object holds a name. An object whose deletion was accepted counts as a failure, so that the question is not
// repeated at once.
func find(o object, deleted types.UID) request {
	return func(ctx context.Context) result {
		found, err := o.get(ctx, o.name)
		if err == nil && found != nil && found.GetUID() == deleted {
			err = errStillThere
		}
		return result{object: found, err: err}
	}
}

// findPod looks up a Pod. If the watch has just stopped showing it at some version, an API server can confirm that it is gone
// since without reading its database, which is far cheaper. Any other answer may be outdated.
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
