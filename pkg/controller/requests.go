package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// object is one name in the cluster, and how to get at it.
type object struct {
	name   string
	get    func(ctx context.Context, name string) (metav1.Object, error)
	delete func(ctx context.Context, name string, o metav1.DeleteOptions) error
}

func (c *Controller) configMaps(r *record) object {
	client := c.clients.core.CoreV1().ConfigMaps(r.key.Namespace)
	return object{configMapName(r), trimmed(client.Get), client.Delete}
}

func (c *Controller) podNamed(r *record, ref lifecycle.TaskRef) object {
	client := c.clients.core.CoreV1().Pods(r.key.Namespace)
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
func (c *Controller) find(o object, deleted types.UID) request {
	return func(ctx context.Context) result {
		found, err := o.get(ctx, o.name)
		if err == nil && found != nil && found.GetUID() == deleted {
			err = errStillThere
		}
		return result{object: found, err: err}
	}
}

// deletion says how to delete an object.
type deletion struct {
	uid   types.UID
	grace *int64 // in seconds; nil leaves it to the object
	// propagation says what becomes of what the object owns; nil leaves it to its finalizers.
	propagation *metav1.DeletionPropagation
	// confirm that the object has gone, because no watch will tell: the cache may never show it, or a finalizer
	// may keep it although it is deleted by force (contract 2.8).
	confirm bool
}

// remove deletes the object that has that UID. One of another UID means that it is gone (decisions, W9).
func (c *Controller) remove(o object, d deletion) request {
	return func(ctx context.Context) result {
		err := o.delete(ctx, o.name, metav1.DeleteOptions{
			Preconditions:      &metav1.Preconditions{UID: &d.uid},
			GracePeriodSeconds: d.grace,
			PropagationPolicy:  d.propagation,
		})
		switch {
		case apierrors.IsNotFound(err):
			return result{gone: d.uid}
		case apierrors.IsConflict(err):
			return goneOr(ctx, o, d.uid, err)
		case err == nil && d.confirm:
			return goneOr(ctx, o, d.uid, errStillThere)
		}
		return result{err: err}
	}
}

// goneOr finds out whether the object has gone. If it has not, the result is the other error.
func goneOr(ctx context.Context, o object, uid types.UID, other error) result {
	found, err := o.get(ctx, o.name)
	switch {
	case err != nil:
		return result{err: err}
	case found == nil || found.GetUID() != uid:
		return result{gone: uid}
	}
	return result{err: other}
}

func gracePeriod(force bool) *int64 {
	if !force {
		return nil
	}
	return new(int64)
}

func (c *Controller) removeFramework(r *record) request {
	key, uid := r.key, r.uid
	return func(ctx context.Context) result {
		foreground := metav1.DeletePropagationForeground
		options := &metav1.DeleteOptions{
			TypeMeta:          metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
			Preconditions:     &metav1.Preconditions{UID: &uid},
			PropagationPolicy: &foreground,
		}
		err := c.clients.frameworks.Delete().Namespace(key.Namespace).Resource(v1.FrameworkPlural).Name(key.Name).
			SetHeader("Content-Type", runtime.ContentTypeJSON).Body(jsonOf(options)).Do(ctx).Error()
		if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return result{gone: uid}
		}
		return result{err: err}
	}
}

func (c *Controller) createConfigMap(r *record, a lifecycle.CreateConfigMap) request {
	desired, holder := objects.ConfigMap(owner(r), a.AttemptID), c.configMaps(r)
	client := c.clients.core.CoreV1().ConfigMaps(r.key.Namespace)
	return func(ctx context.Context) result {
		created, err := client.Create(ctx, desired, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return taken(ctx, holder)
		}
		if err != nil {
			return result{err: err}
		}
		return result{object: &corev1.ConfigMap{ObjectMeta: trimMeta(&created.ObjectMeta)}}
	}
}

func (c *Controller) createPod(r *record, a lifecycle.CreatePod) request {
	build, err := podToBuild(r, a)
	if err != nil {
		return refuse(a, completion.CodePodCreationPermanentError, err)
	}
	namespace, holder, since := r.key.Namespace, c.podNamed(r, a.Task), r.attemptedSince(a.Task)
	return func(ctx context.Context) result {
		body, err := build()
		if err != nil {
			return refused(a, completion.CodePodCreationPermanentError, err)
		}
		w := &warnings{}
		meta, err := sendForMetadata(withWarnings(ctx, w), c.clients.core.CoreV1().RESTClient().Post().
			Namespace(namespace).Resource("pods").Param("fieldValidation", metav1.FieldValidationWarn).
			SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body))
		switch {
		case apierrors.IsAlreadyExists(err):
			return taken(ctx, holder)
		case err != nil:
			failed := c.creationFailed(ctx, namespace, a, creationError(err, c.now().Sub(since)), err)
			failed.warnings = w.texts // a field that is misspelt may be the one that is missed
			return failed
		}
		return result{object: &corev1.Pod{ObjectMeta: trimMeta(meta)}, warnings: w.texts}
	}
}

// attemptedSince is when the Task's attempt began, as stored: a restart does not begin the wait for its Pod anew.
func (r *record) attemptedSince(ref lifecycle.TaskRef) time.Time {
	if t := r.status.saved.Task(ref); t != nil {
		return t.AttemptStatus.StartTime.Time
	}
	return time.Time{}
}

// taken finds out what holds a name that a creation needs.
func taken(ctx context.Context, o object) result {
	found, err := o.get(ctx, o.name)
	if err != nil {
		return result{err: err}
	}
	return result{object: found, err: nameTakenBy(found)}
}

// nameTakenBy says why a name is not free; of what terminates, what keeps it.
func nameTakenBy(o metav1.Object) error {
	if o == nil {
		return errNameTaken // a moment ago
	}
	if names := finalizersOf(o); names != "" {
		return fmt.Errorf("%w by what terminates and has a finalizer, %s", errNameTaken, names)
	}
	return errNameTaken
}

// refusedError is an error that trying again would not change.
type refusedError struct {
	refusal lifecycle.Refusal
	cause   error
}

func (e *refusedError) Error() string { return e.cause.Error() }

func refuse(a lifecycle.CreatePod, code completion.Code, cause error) request {
	outcome := refused(a, code, cause)
	return func(context.Context) result { return outcome }
}

func refused(a lifecycle.CreatePod, code completion.Code, cause error) result {
	refusal := lifecycle.Refusal{
		TaskUID:       a.TaskUID,
		TaskAttemptID: a.AttemptID,
		Code:          code,
		Diagnostics:   diagnose(cause),
	}
	return result{err: &refusedError{refusal, cause}}
}

// creationFailed tells a refusal from a failure that may pass (contract 4.6).
func (c *Controller) creationFailed(ctx context.Context, namespace string, a lifecycle.CreatePod, e completion.CreationError, err error) result {
	code := completion.ClassifyCreationError(e)
	if code == completion.CodePodCreationTransientError || apierrors.IsForbidden(err) && !c.mayCreatePods(ctx, namespace) {
		return result{err: err}
	}
	return refused(a, code, err)
}

// creationError is what is known of an error, after so long a wait for the Pod.
func creationError(err error, waited time.Duration) completion.CreationError {
	out := completion.CreationError{Message: err.Error(), ConnectionLost: connectionLost(err), Waited: waited}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		out.Reason, out.Status = string(status.Status().Reason), status.Status().Code
	}
	return out
}

func owner(r *record) objects.Owner {
	return objects.Owner{Namespace: r.key.Namespace, Name: r.key.Name, UID: r.uid}
}

func configMapName(r *record) string { return v1.ConfigMapName(r.key.Name) }

// configMapUID returns the recorded UID; empty if there is none.
func (r *record) configMapUID() types.UID {
	if r.status.saved == nil || r.status.saved.Framework().AttemptStatus.ConfigMapUID == nil {
		return ""
	}
	return *r.status.saved.Framework().AttemptStatus.ConfigMapUID
}
