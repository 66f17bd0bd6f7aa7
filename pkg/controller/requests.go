package controller

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// object is one name in the cluster, and how to get at it.
type object struct {
	name   string
	get    func(ctx context.Context, name string) (metav1.Object, error)
	delete func(ctx context.Context, name string, o metav1.DeleteOptions) error
}

func configMapObject(c *Clients, r *record) object {
	client := c.core.CoreV1().ConfigMaps(r.key.Namespace)
	return object{configMapName(r), trimmed(client.Get), client.Delete}
}

func podObject(c *Clients, r *record, ref lifecycle.TaskRef) object {
	client := c.core.CoreV1().Pods(r.key.Namespace)
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
		o, err := trim(found)
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

func owner(r *record) objects.Owner {
	return objects.Owner{Namespace: r.key.Namespace, Name: r.key.Name, UID: r.uid}
}

func configMapName(r *record) string { return v1.ConfigMapName(r.key.Name) }

// configMapUID returns the recorded UID; empty if there is none.
func (s *savedStatus) configMapUID() types.UID {
	if s.saved == nil || s.saved.Framework().AttemptStatus.ConfigMapUID == nil {
		return ""
	}
	return *s.saved.Framework().AttemptStatus.ConfigMapUID
}

// request is an action made ready to be sent. It must not touch the record.
type request func(context.Context) result

// request makes an action ready.
func (p *performer) request(r *record, a lifecycle.Action) request {
	switch a := a.(type) {
	case lifecycle.CreateConfigMap:
		return p.createConfigMap(r, a)
	case lifecycle.DeleteConfigMap:
		if a.Force {
			return p.releaseConfigMap(r, a.UID)
		}
		return remove(configMapObject(p.clients, r), deletion{uid: a.UID, confirm: r.dependents.configMap.live != nil})
	case lifecycle.ReadConfigMap:
		return find(configMapObject(p.clients, r), r.dependents.configMap.deleteRequested)
	case lifecycle.CreatePod:
		return p.createPod(r, a)
	case lifecycle.DeletePod:
		unseen := r.dependents.pod(r.podName(a.Task)).live != nil
		return remove(podObject(p.clients, r, a.Task), deletion{uid: a.UID, grace: gracePeriod(a.Force), confirm: a.Force || unseen})
	case lifecycle.ReadPod:
		return find(podObject(p.clients, r, a.Task), r.dependents.pod(r.podName(a.Task)).deleteRequested)
	case lifecycle.DeleteFramework:
		return p.removeFramework(r)
	}
	return func(context.Context) result { return result{} }
}

// nameOf names the object of an action; the Framework itself is the empty name.
func (r *record) nameOf(a lifecycle.Action) string {
	if ref, ok := taskOf(a); ok {
		return r.podName(ref)
	}
	if _, ok := a.(lifecycle.DeleteFramework); ok {
		return ""
	}
	return configMapName(r)
}
