package controller

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// deletion is how to delete an object.
type deletion struct {
	uid   types.UID
	grace *int64 // in seconds; nil leaves it to the object
	// propagation decides about the objects that it owns; nil leaves it to its finalizers.
	propagation *metav1.DeletionPropagation
	// confirm that the object is gone, because no watch event will follow: the cache may never have it, or a finalizer may keep
	// it although it is deleted by force (contract 2.8).
	confirm bool
}

// remove deletes the object with this UID. An object with another UID means that it is gone (decisions, W9).
func remove(o object, d deletion) request {
	return func(ctx context.Context) result {
		err := o.delete(ctx, o.name, metav1.DeleteOptions{
			Preconditions:      &metav1.Preconditions{UID: &d.uid},
			GracePeriodSeconds: d.grace,
			PropagationPolicy:  d.propagation,
		})
		switch {
		case apierrors.IsNotFound(err):
			return result{deletedUID: d.uid}
		case apierrors.IsConflict(err):
			return goneOr(ctx, o, d.uid, err)
		case err == nil && d.confirm:
			confirmed := goneOr(ctx, o, d.uid, errStillThere)
			confirmed.accepted = true
			return confirmed
		}
		return result{err: err, accepted: err == nil}
	}
}

// goneOr finds out whether the object is gone. If it is not, the result is the other error.
func goneOr(ctx context.Context, o object, uid types.UID, other error) result {
	found, err := o.get(ctx, o.name)
	switch {
	case err != nil:
		return result{err: err}
	case found == nil || found.GetUID() != uid:
		return result{deletedUID: uid}
	}
	return result{err: other}
}

func gracePeriod(a lifecycle.DeletePod) *int64 {
	switch {
	case a.Force:
		return new(int64)
	case a.GraceSeconds > 0:
		return new(int64(a.GraceSeconds))
	}
	return nil
}

func (p *performer) removeFramework(r *record) request {
	key, uid := r.key, r.uid
	return func(ctx context.Context) result {
		foreground := metav1.DeletePropagationForeground
		options := &metav1.DeleteOptions{
			TypeMeta:          metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
			Preconditions:     &metav1.Preconditions{UID: &uid},
			PropagationPolicy: &foreground,
		}
		err := p.clients.Frameworks.Delete().Namespace(key.Namespace).Resource(v1.FrameworkPlural).Name(key.Name).
			SetHeader("Content-Type", runtime.ContentTypeJSON).Body(apiserver.JSON(options)).Do(ctx).Error()
		if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return result{deletedUID: uid}
		}
		return result{err: err}
	}
}
