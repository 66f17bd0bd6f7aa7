package controller

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

func (p *performer) createConfigMap(r *record, a lifecycle.CreateConfigMap) request {
	desired, holder := objects.ConfigMap(owner(r), a.AttemptID), configMapObject(p.clients, r)
	client := p.clients.Core.CoreV1().ConfigMaps(r.key.Namespace)
	return func(ctx context.Context) result {
		created, err := client.Create(ctx, desired, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return taken(ctx, holder)
		}
		if err != nil {
			return result{err: err}
		}
		return result{object: &corev1.ConfigMap{ObjectMeta: podview.TrimMeta(created)}}
	}
}

func (p *performer) createPod(r *record, a lifecycle.CreatePod) request {
	build, err := podToBuild(r, a)
	if errors.Is(err, errItemUnknown) {
		return func(context.Context) result { return result{err: errHeldBack} }
	}
	if err != nil {
		return refuse(a, completion.CodePodCreationPermanentError, err)
	}
	namespace, holder, since := r.key.Namespace, podObject(p.clients, r, a.Task), r.status.attemptedSince(a.Task)
	return func(ctx context.Context) result {
		body, err := build()
		if err != nil {
			return refused(a, completion.CodePodCreationPermanentError, err)
		}
		w := &apiserver.Warnings{}
		meta, err := apiserver.SendForMetadata(apiserver.WithWarnings(ctx, w), p.clients.Core.CoreV1().RESTClient().Post().
			Namespace(namespace).Resource("pods").Param("fieldValidation", metav1.FieldValidationWarn).
			SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body))
		switch {
		case apierrors.IsAlreadyExists(err):
			return taken(ctx, holder)
		case err != nil:
			failed := p.creationFailed(ctx, namespace, a, creationError(err, p.now().Sub(since)), err)
			failed.warnings = w.Texts() // a misspelt field may be the one that is missing
			return failed
		}
		return result{object: &corev1.Pod{ObjectMeta: podview.TrimMeta(meta)}, warnings: w.Texts()}
	}
}

// taken finds the object that holds the name of a creation.
func taken(ctx context.Context, o object) result {
	found, err := o.get(ctx, o.name)
	if err != nil {
		return result{err: err}
	}
	return result{object: found, err: nameTakenBy(found)}
}

// nameTakenBy returns the error for a name that is not free. If the holder is being deleted, it names its finalizers.
func nameTakenBy(o metav1.Object) error {
	if o == nil {
		return errNameTaken // it was taken a moment ago
	}
	if names := podview.FinalizersOf(o); names != "" {
		return fmt.Errorf("%w by an object that is being deleted and waits for finalizer %s", errNameTaken, names)
	}
	return errNameTaken
}
