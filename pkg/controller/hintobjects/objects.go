package hintobjects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/csaupgrade"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Maker creates the objects that the hints for an attempt request.
type Maker struct {
	KindOf    func(*unstructured.Unstructured) (Kind, error) // such as Kinds.Of
	Namespace string
	Framework string
	Owner     metav1.OwnerReference // ties the objects to the attempt
	Made      bool                  // they were already created; later changes to them are left alone
	Watched   *Watches[[]byte]      // watches the objects; nil if they are not watched
	// Replace changes existing objects even if the hints exclude updates, and replaces objects that cannot be changed. A
	// scheduler may refuse a change of an object for which it holds resources, such as another queue for a Workload of Kueue with
	// a quota. No Pod depends on them yet.
	Replace bool
}

// Object is an object requested by the hints, in its current state in the cluster.
type Object struct {
	UID     types.UID // empty if it is gone
	JSON    []byte    // empty if it is gone
	Watched bool      // changes of it are noticed
}

// Make creates or updates objects, and returns their new state. Then it deletes the superseded objects that are no longer
// wanted. It does not touch an object of that name that does not belong to the attempt. An error is an *Error.
func (m Maker) Make(ctx context.Context, wanted []*pluginpb.Object, superseded []v1.HintObject) ([]Object, error) {
	var out []Object
	for _, w := range wanted {
		o := &unstructured.Unstructured{}
		if err := json.Unmarshal(w.GetJson(), &o.Object); err != nil {
			return nil, &Error{fmt.Errorf("an object that the hints want: %w", err)}
		}
		made, err := m.wanted(ctx, o, w.GetOnUpdate())
		if err != nil {
			return nil, &Error{fmt.Errorf("making %s %s: %w", o.GetKind(), o.GetName(), err)}
		}
		out = append(out, made)
	}
	if m.Made {
		return out, nil
	}
	for _, s := range superseded {
		if err := m.delete(ctx, s); err != nil {
			return nil, &Error{fmt.Errorf("deleting %s %s: %w", s.Kind, s.Name, err)}
		}
	}
	return out, nil
}

func (m Maker) wanted(ctx context.Context, o *unstructured.Unstructured, onUpdate pluginpb.Object_OnUpdate) (out Object, err error) {
	o.SetNamespace(m.Namespace)
	o.SetOwnerReferences([]metav1.OwnerReference{m.Owner})
	kind, err := m.KindOf(o)
	if err != nil {
		return out, err
	}
	if m.Watched != nil {
		label(o, m.Framework)
		out.Watched = m.Watched.Ensure(kind.resource)
		seen, _ := m.Watched.Shown(kind.resource, o.GetNamespace(), o.GetName())
		if m.Made && seen != nil && seen.Content != nil && m.holds(seen) {
			out.UID, out.JSON = seen.UID, *seen.Content
			return out, nil
		}
	}
	made, err := m.one(ctx, kind.Namespace(m.Namespace), o, onUpdate)
	if err == nil && made == nil {
		err = kind.stillServed(ctx)
	}
	if KindGone(err) {
		kind.forget()
		return out, errKindGone
	}
	if made != nil && err == nil {
		out.UID, out.JSON = made.GetUID(), apiserver.JSON(made.Object)
	}
	return out, err
}

// AttemptObjects reads objects controlled by ConfigMaps of attempts, in the form for plugins.
var AttemptObjects = Reading[[]byte]{
	MayOwn: func(framework string, controller *metav1.OwnerReference) bool {
		return controller != nil && controller.Kind == objects.KindConfigMap && controller.Name == v1.ConfigMapName(framework)
	},
	Read: func(o *unstructured.Unstructured) ([]byte, int) {
		o.SetManagedFields(nil)
		text := apiserver.JSON(o.Object)
		return text, len(text)
	},
}

func label(o *unstructured.Unstructured, framework string) {
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1.KeyFrameworkName] = framework
	o.SetLabels(labels)
}

// one returns nil for an object that was created and is gone.
func (m Maker) one(ctx context.Context, client dynamic.ResourceInterface, o *unstructured.Unstructured, onUpdate pluginpb.Object_OnUpdate) (*unstructured.Unstructured, error) {
	existing, err := client.Get(ctx, o.GetName(), metav1.GetOptions{})
	switch {
	case KindGone(err):
		return nil, err
	case apierrors.IsNotFound(err) && m.Made:
		return nil, nil
	case apierrors.IsNotFound(err):
		return create(ctx, client, o)
	case err != nil:
		return nil, err
	case !m.holds(existing):
		return nil, errNameTaken
	case m.Made || onUpdate == pluginpb.Object_KEEP && !m.Replace:
		return existing, nil
	}
	applied, err := apply(ctx, client, existing, o)
	if (onUpdate == pluginpb.Object_REPLACE || m.Replace) && cannotBeChanged(err) {
		return nil, replace(ctx, client, existing, err)
	}
	return applied, err
}

// cannotBeChanged reports whether the API server refuses a change for good. Webhooks use either error for immutable fields.
func cannotBeChanged(err error) bool { return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) }

// replace deletes an object, so that the next try creates it again. It returns why it was not created yet.
func replace(ctx context.Context, client dynamic.ResourceInterface, existing *unstructured.Unstructured, why error) error {
	if existing.GetDeletionTimestamp() == nil {
		if err := deleteObject(ctx, client, existing); err != nil {
			return err
		}
	}
	return fmt.Errorf("it is being replaced, as it cannot be changed: %w", why)
}

// delete deletes an object that the hints no longer request, if it belongs to the attempt.
func (m Maker) delete(ctx context.Context, h v1.HintObject) error {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(h.APIVersion)
	o.SetKind(h.Kind)
	kind, err := m.KindOf(o)
	if meta.IsNoMatchError(err) {
		return nil // without the kind there is no such object
	}
	if err != nil {
		return err
	}
	client := kind.Namespace(m.Namespace)
	existing, err := client.Get(ctx, h.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && (!m.holds(existing) || existing.GetDeletionTimestamp() != nil) {
		return nil
	}
	if err != nil {
		return err
	}
	return deleteObject(ctx, client, existing)
}

func deleteObject(ctx context.Context, client dynamic.ResourceInterface, o *unstructured.Unstructured) error {
	uid := o.GetUID()
	background := metav1.DeletePropagationBackground
	err := client.Delete(ctx, o.GetName(), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}, PropagationPolicy: &background})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) { // the object is gone
		return nil
	}
	return err
}

// holds reports whether an object belongs to the attempt.
func (m Maker) holds(o metav1.Object) bool {
	owner := metav1.GetControllerOf(o)
	return owner != nil && owner.UID == m.Owner.UID
}

// create creates an object that did not exist. Applying it would take over one that somebody has created since.
func create(ctx context.Context, client dynamic.ResourceInterface, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	created, err := client.Create(ctx, o, metav1.CreateOptions{FieldManager: apiserver.FieldManager})
	if apierrors.IsAlreadyExists(err) {
		return nil, errNameTaken // or our own, whose creation was not answered: the next try finds out
	}
	return created, err
}

// apply changes an object to its new form. It sends the UID that was read: the API server then refuses to change another
// object of that name, and does not recreate one that is gone.
func apply(ctx context.Context, client dynamic.ResourceInterface, existing, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if err := ownAsApplied(ctx, client, existing); err != nil {
		return nil, err
	}
	o.SetUID(existing.GetUID())
	return client.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: apiserver.FieldManager, Force: true})
}

// ownAsApplied makes the fields with which an object was created count as applied. Otherwise a field that is no longer wanted
// would stay, as after the first time.
func ownAsApplied(ctx context.Context, client dynamic.ResourceInterface, existing *unstructured.Unstructured) error {
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(existing, sets.New(apiserver.FieldManager), apiserver.FieldManager)
	if err != nil || len(patch) == 0 {
		return err
	}
	_, err = client.Patch(ctx, existing.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: apiserver.FieldManager})
	return err
}

// errNameTaken: another object holds the name.
var errNameTaken = errors.New("the name is taken")

// Error is a failure to get something for the hints from the API server: an object, a field of Pods, or its kinds.
type Error struct{ Cause error }

func (e *Error) Error() string { return e.Cause.Error() }

func (e *Error) Unwrap() error { return e.Cause }
