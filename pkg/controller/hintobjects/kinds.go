package hintobjects

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

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
)

// errKindGone is why an object cannot be had though nobody has deleted it: its CRD has gone, and all objects with it, or does
// not have the version any more.
var errKindGone = errors.New("the API server does not serve its kind in this version any more, or is about to stop")

// KindGone reports whether an error says that a kind is gone, not just an object of it. The API server has no Status for a
// path that it does not serve.
func KindGone(err error) bool {
	return errors.Is(err, errKindGone) || meta.IsNoMatchError(err) || apierrors.IsNotFound(err) && apierrors.IsUnexpectedServerError(err)
}

// Kind is the client for the objects of a namespaced kind.
type Kind struct {
	dynamic.NamespaceableResourceInterface
	resource schema.GroupVersionResource
	server   rest.Interface // nil if the kind does not go
	forget   func()         // what is known of kinds
}

// Kinds looks up kinds in the API server.
type Kinds struct {
	clients *apiserver.Clients
	server  rest.Interface
}

// NewKinds returns the kinds of an API server.
func NewKinds(clients *apiserver.Clients) *Kinds {
	return &Kinds{clients: clients, server: clients.Core.CoreV1().RESTClient()}
}

// Of returns the client for an object's kind. A kind that is not known is looked up anew: its CRD may have come since.
func (k *Kinds) Of(o *unstructured.Unstructured) (Kind, error) {
	kind := o.GroupVersionKind()
	mapping, err := k.clients.Kinds.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		k.clients.Kinds.Reset()
		mapping, err = k.clients.Kinds.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return Kind{}, err
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return Kind{}, fmt.Errorf("%s is not a namespaced kind, so it cannot go with the attempt", kind.Kind)
	}
	out := Kind{k.clients.Objects.Resource(mapping.Resource), mapping.Resource, k.server, k.clients.Kinds.Reset}
	if mapping.Resource.Group == "" {
		out.server = nil
	}
	return out, nil
}

// stillServed returns errKindGone if no more objects of the kind can be made. Where a CRD is being deleted, its objects go
// first; for that moment they can be read and deleted only.
func (k Kind) stillServed(ctx context.Context) error {
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
