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

// errKindGone is why an object is unavailable although nobody has deleted it: its CRD is gone, with all its objects, or no
// longer has the version.
var errKindGone = errors.New("the API server no longer serves its kind in this version, or is about to stop")

// KindGone reports whether an error means that a kind is gone, not just one of its objects. The API server returns no Status
// for a path that it does not serve.
func KindGone(err error) bool {
	return errors.Is(err, errKindGone) || meta.IsNoMatchError(err) || apierrors.IsNotFound(err) && apierrors.IsUnexpectedServerError(err)
}

// Kind is the client for the objects of a namespaced kind.
type Kind struct {
	dynamic.NamespaceableResourceInterface
	resource schema.GroupVersionResource
	server   rest.Interface // nil if the kind does not go
	forget   func()         // drops the cached kinds
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

// Of returns the client for an object's kind. An unknown kind is looked up again: its CRD may be new.
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

// stillServed returns errKindGone if no more objects of the kind can be created. While a CRD is being deleted, its objects are
// deleted first; during that time they can only be read and deleted.
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
