package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// errKindGone is why an object cannot be had though nobody has deleted it: its CRD has gone, and all objects with it, or does
// not have the version any more.
var errKindGone = errors.New("the API server does not serve its kind in this version any more, or is about to stop")

// isOfKind reports whether an error says that a kind is gone, not just an object of it. The API server has no Status for a
// path that it does not serve.
func isOfKind(err error) bool {
	return errors.Is(err, errKindGone) || meta.IsNoMatchError(err) || apierrors.IsNotFound(err) && apierrors.IsUnexpectedServerError(err)
}

// objectsOfKind is the client for the objects of a namespaced kind.
type objectsOfKind struct {
	dynamic.NamespaceableResourceInterface
	resource schema.GroupVersionResource
	server   rest.Interface // nil if the kind does not go
	forget   func()         // what is known of kinds
}

// resourceOf returns the client for an object's kind. A kind that is not known is looked up anew: its CRD may have come
// since.
func (k *asker) resourceOf(o *unstructured.Unstructured) (objectsOfKind, error) {
	kind := o.GroupVersionKind()
	mapping, err := k.clients.Kinds.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		k.clients.Kinds.Reset()
		mapping, err = k.clients.Kinds.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return objectsOfKind{}, err
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return objectsOfKind{}, fmt.Errorf("%s is not a namespaced kind, so it cannot go with the attempt", kind.Kind)
	}
	out := objectsOfKind{k.clients.Objects.Resource(mapping.Resource), mapping.Resource, k.served.client, k.clients.Kinds.Reset}
	if mapping.Resource.Group == "" {
		out.server = nil
	}
	return out, nil
}

// stillServed returns errKindGone if no more objects of the kind can be made. Where a CRD is being deleted, its objects go
// first; for that moment they can be read and deleted only.
func (k objectsOfKind) stillServed(ctx context.Context) error {
	if k.server == nil {
		return nil
	}
	text, err := k.server.Get().AbsPath("/apis", k.resource.Group, k.resource.Version).SetHeader("Accept", "application/json").Do(ctx).Raw()
	switch {
	case apierrors.IsNotFound(err):
		return errKindGone
	case apierrors.IsForbidden(err):
		return nil
	case err != nil:
		return err
	}
	var list metav1.APIResourceList
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	canBeMade := func(r metav1.APIResource) bool {
		return r.Name == k.resource.Resource && slices.Contains(r.Verbs, "create")
	}
	if !slices.ContainsFunc(list.APIResources, canBeMade) {
		return errKindGone
	}
	return nil
}
