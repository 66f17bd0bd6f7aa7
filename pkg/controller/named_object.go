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
	return object{configMapName(r), trimmed(client.Get), client.Delete}
}

func podObject(c *apiserver.Clients, r *record, ref lifecycle.TaskRef) object {
	client := c.Core.CoreV1().Pods(r.key.Namespace)
	return object{r.podName(ref), trimmed(client.Get), client.Delete}
}

// trimmed gets an object in the form in which the caches hold it; nil if there is none.
func trimmed[T metav1.Object](get func(context.Context, string, metav1.GetOptions) (T, error)) func(context.Context, string) (metav1.Object, error) {
	return func(ctx context.Context, name string) (metav1.Object, error) {
		found, err := get(ctx, name, metav1.GetOptions{})
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
