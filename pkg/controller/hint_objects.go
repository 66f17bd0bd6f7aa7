package controller

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/csaupgrade"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// attemptReference makes an object go with the attempt.
func attemptReference(r *record) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: configMapName(r), UID: r.status.configMapUID(), Controller: &yes}
}

// hintMaker makes the objects that the hints for an attempt want.
type hintMaker struct {
	resource  func(*unstructured.Unstructured) (dynamic.ResourceInterface, error) // of the object's kind
	namespace string
	holder    metav1.OwnerReference
	made      bool // they are made already; what has become of them is left as it is
}

// all creates or updates objects, and returns them as they are then, in JSON; empty for one that has gone. It does not
// touch an object of that name that is not the attempt's. An error is an *objectsError.
func (m hintMaker) all(ctx context.Context, wanted []*pluginpb.Object) ([][]byte, error) {
	var out [][]byte
	for _, w := range wanted {
		o := &unstructured.Unstructured{}
		if err := json.Unmarshal(w.GetJson(), &o.Object); err != nil {
			return nil, &objectsError{fmt.Errorf("an object that the hints want: %w", err)}
		}
		o.SetNamespace(m.namespace)
		o.SetOwnerReferences([]metav1.OwnerReference{m.holder})
		made, err := m.one(ctx, o)
		if err != nil {
			return nil, &objectsError{fmt.Errorf("making %s %s: %w", o.GetKind(), o.GetName(), err)}
		}
		if made == nil {
			out = append(out, nil)
			continue
		}
		out = append(out, apiserver.JSON(made.Object))
	}
	return out, nil
}

func (m hintMaker) one(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client, err := m.resource(o)
	if err != nil {
		return nil, err
	}
	existing, err := client.Get(ctx, o.GetName(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && m.made:
		return nil, nil
	case apierrors.IsNotFound(err):
		return create(ctx, client, o)
	case err != nil:
		return nil, err
	case !m.holds(existing):
		return nil, errNameTaken
	case m.made:
		return existing, nil
	}
	return apply(ctx, client, existing, o)
}

// holds reports whether an object is the attempt's.
func (m hintMaker) holds(o *unstructured.Unstructured) bool {
	owner := metav1.GetControllerOf(o)
	return owner != nil && owner.UID == m.holder.UID
}

// create makes an object that was not there. To apply it would take over one that somebody has made since.
func create(ctx context.Context, client dynamic.ResourceInterface, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	created, err := client.Create(ctx, o, metav1.CreateOptions{FieldManager: apiserver.FieldManager})
	if apierrors.IsAlreadyExists(err) {
		return nil, errNameTaken // or our own, whose creation was not answered: the next try tells
	}
	return created, err
}

// apply changes an object to what is wanted now. It names the UID that was read: the API server refuses it for another one
// that has the name by now, and does not make one that has gone.
func apply(ctx context.Context, client dynamic.ResourceInterface, existing, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if err := ownAsApplied(ctx, client, existing); err != nil {
		return nil, err
	}
	o.SetUID(existing.GetUID())
	return client.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: apiserver.FieldManager, Force: true})
}

// ownAsApplied has the fields with which an object was created count as applied. Otherwise a field that is not wanted any
// more would stay, as after the first time.
func ownAsApplied(ctx context.Context, client dynamic.ResourceInterface, existing *unstructured.Unstructured) error {
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(existing, sets.New(apiserver.FieldManager), apiserver.FieldManager)
	if err != nil || len(patch) == 0 {
		return err
	}
	_, err = client.Patch(ctx, existing.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: apiserver.FieldManager})
	return err
}

// resourceOf returns the client for an object's kind. A kind that is not known is looked up anew: its CRD may have come
// since.
func (k *asker) resourceOf(o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := o.GroupVersionKind()
	mapping, err := k.clients.Kinds.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		k.clients.Kinds.Reset()
		mapping, err = k.clients.Kinds.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return nil, fmt.Errorf("%s is not a namespaced kind, so it cannot go with the attempt", kind.Kind)
	}
	return k.clients.Objects.Resource(mapping.Resource).Namespace(o.GetNamespace()), nil
}
