package hintobjects

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	restfake "k8s.io/client-go/rest/fake"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

var groupsOfTest = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "groups"}

// shelf is an API server with one kind of hint objects, and the requests that it received.
type shelf struct {
	*dynamicfake.FakeDynamicClient
	Maker
	onUpdate   pluginpb.Object_OnUpdate
	superseded []v1.HintObject
	status     []byte
	discovery  rest.Interface // nil if the kind is always served
	forgotten  int            // how often kinds were
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	kinds := map[schema.GroupVersionResource]string{groupsOfTest: "GroupList"}
	s := &shelf{FakeDynamicClient: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)}
	yes := true
	s.Maker = Maker{
		KindOf: func(*unstructured.Unstructured) (Kind, error) {
			return Kind{NamespaceableResourceInterface: s.Resource(groupsOfTest), resource: groupsOfTest, server: s.discovery, forget: func() { s.forgotten++ }}, nil
		},
		Namespace: "default",
		Owner:     metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "a-attempt", UID: "attempt", Controller: &yes},
	}
	s.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &unstructured.Unstructured{Object: map[string]any{"kind": "Group", "apiVersion": "example.com/v1"}}, nil
	})
	return s
}

// group adds an existing object. Its fields were set by us when it was created, or by nobody.
func (s *shelf) group(t *testing.T, uid types.UID, owners []metav1.OwnerReference, fields ...metav1.ManagedFieldsEntry) {
	t.Helper()
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(groupsOfTest.GroupVersion().WithKind("Group"))
	o.SetNamespace("default")
	o.SetName("a-0")
	o.SetUID(uid)
	o.SetOwnerReferences(owners)
	o.SetManagedFields(fields)
	require.NoError(t, s.Tracker().Create(groupsOfTest, o, "default"))
}

// make creates the wanted group, and returns the verbs of the requests, with the type of each patch.
func (s *shelf) make(t *testing.T) (asked []string, err error) {
	t.Helper()
	s.ClearActions()
	wanted := []*pluginpb.Object{{Json: []byte(`{"apiVersion":"example.com/v1","kind":"Group","metadata":{"name":"a-0"},"spec":{"size":2}}`), OnUpdate: s.onUpdate, StatusJson: s.status}}
	made, err := s.Make(t.Context(), wanted, s.superseded)
	if err == nil {
		err = s.ApplyStatus(t.Context(), wanted, made)
	}
	for _, a := range s.Actions() {
		verb := a.GetVerb()
		if patch, ok := a.(clienttesting.PatchAction); ok {
			verb += " " + string(patch.GetPatchType())
		}
		asked = append(asked, verb)
	}
	return asked, err
}

func (s *shelf) requireAsked(t *testing.T, want ...string) {
	t.Helper()
	if asked, err := s.make(t); err != nil || !slices.Equal(asked, want) {
		t.Errorf("it was asked to %q, want %q; %v", asked, want, err)
	}
}

// A new object is created, not applied, and owned by the attempt.
func TestHintObjectIsCreated(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.requireAsked(t, "get", "create")
	made, err := s.Resource(groupsOfTest).Namespace("default").Get(t.Context(), "a-0", metav1.GetOptions{})
	if err != nil || !s.holds(made) {
		t.Errorf("made is %v, %v", made, err)
	}
}

// Somebody else's object that appears while ours is being created is left alone, at once and at the next attempt.
func TestHintObjectOfOthersComesBetween(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	came := false
	s.PrependReactor("create", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		if !came {
			came = true
			s.group(t, "stranger", nil)
		}
		return false, nil, nil
	})
	for range 2 {
		asked, err := s.make(t)
		if !errors.Is(err, errNameTaken) {
			t.Errorf("it was asked to %q, and the error is %v", asked, err)
		}
	}
}

// Our object is changed only if it is still the one that was read, and counts as applied from then on.
func TestHintObjectIsApplied(t *testing.T) {
	t.Parallel()
	fields := func(operation metav1.ManagedFieldsOperationType) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: apiserver.FieldManager, Operation: operation, APIVersion: "example.com/v1", FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:size":{}}}`),
		}
	}
	const apply, upgrade = "patch application/apply-patch+yaml", "patch application/json-patch+json"
	for operation, want := range map[metav1.ManagedFieldsOperationType][]string{
		metav1.ManagedFieldsOperationUpdate: {"get", upgrade, apply},
		metav1.ManagedFieldsOperationApply:  {"get", apply},
	} {
		t.Run(string(operation), func(t *testing.T) {
			t.Parallel()
			s := newShelf(t)
			s.group(t, "ours", []metav1.OwnerReference{s.Owner}, fields(operation))
			s.requireAsked(t, want...)
			applied := s.Actions()[len(want)-1].(clienttesting.PatchAction).GetPatch()
			if !strings.Contains(string(applied), `"uid":"ours"`) {
				t.Errorf("what is applied names no UID: %s", applied)
			}
		})
	}
}

// An object to be kept is left as it was created. An object that cannot be changed is deleted, and recreated once it has gone.
func TestHintObjectIsKeptOrReplaced(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.group(t, "ours", []metav1.OwnerReference{s.Owner})
	s.onUpdate = pluginpb.Object_KEEP
	s.requireAsked(t, "get")
	s.onUpdate = pluginpb.Object_REPLACE
	s.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewInvalid(schema.GroupKind{Kind: "Group"}, "a-0", nil)
	})
	if asked, err := s.make(t); err == nil || !slices.Equal(asked, []string{"get", "patch application/apply-patch+yaml", "delete"}) {
		t.Errorf("it was asked to %q; %v", asked, err)
	}
	s.requireAsked(t, "get", "create")
}

// If the hints were renewed, an object that a plugin wants to keep is replaced before any Pod uses it.
func TestHintObjectOfRenewedHintsIsReplaced(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.group(t, "ours", []metav1.OwnerReference{s.Owner})
	s.onUpdate, s.Replace = pluginpb.Object_KEEP, true
	s.requireAsked(t, "get", "patch application/apply-patch+yaml")
	s.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewInvalid(schema.GroupKind{Kind: "Group"}, "a-0", nil)
	})
	if asked, err := s.make(t); err == nil || !slices.Equal(asked, []string{"get", "patch application/apply-patch+yaml", "delete"}) {
		t.Errorf("it was asked to %q; %v", asked, err)
	}
}

// The scheduler's information is applied to the status of the created object.
func TestHintObjectIsTold(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.status = []byte(`{"reclaimablePods":[{"name":"a","count":1}]}`)
	s.requireAsked(t, "get", "create", "patch application/apply-patch+yaml")
	told := s.Actions()[2].(clienttesting.PatchAction)
	if told.GetSubresource() != "status" || !strings.Contains(string(told.GetPatch()), `"status":{"reclaimablePods":[{"count":1,"name":"a"}]}`) {
		t.Errorf("told is %s of %q", told.GetPatch(), told.GetSubresource())
	}
	s.Made = true
	s.requireAsked(t, "get")
}

// An object of an earlier answer that this answer omits is deleted if the attempt owns it.
func TestSupersededHintObjectIsDeleted(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.superseded = []v1.HintObject{{APIVersion: "example.com/v1", Kind: "Group", Name: "a-0-old"}}
	old := func(owners ...metav1.OwnerReference) {
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(groupsOfTest.GroupVersion().WithKind("Group"))
		o.SetNamespace("default")
		o.SetName("a-0-old")
		o.SetUID("old")
		o.SetOwnerReferences(owners)
		require.NoError(t, s.Tracker().Add(o))
	}
	old()
	s.requireAsked(t, "get", "create", "get")
	require.NoError(t, s.Tracker().Delete(groupsOfTest, "default", "a-0-old"))
	old(s.Owner)
	s.requireAsked(t, "get", "patch application/apply-patch+yaml", "get", "delete")
	s.requireAsked(t, "get", "patch application/apply-patch+yaml", "get")
}

// An object that vanishes with its kind has not vanished by itself: nothing is created, and kinds are looked up anew.
func TestHintObjectGoesWithItsKind(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewGenericServerResponse(http.StatusNotFound, "get", groupsOfTest.GroupResource(), "a-0", "404 page not found", 0, true)
	})
	for _, s.Made = range []bool{false, true} {
		asked, err := s.make(t)
		if !errors.Is(err, errKindGone) || !errors.As(err, new(*Error)) || !slices.Equal(asked, []string{"get"}) {
			t.Errorf("it was asked to %q; %v", asked, err)
		}
	}
	s.KindOf = func(*unstructured.Unstructured) (Kind, error) {
		return Kind{}, &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "example.com", Kind: "Group"}}
	}
	if _, err := s.make(t); !KindGone(err) { // another Framework has triggered a new lookup of kinds
		t.Errorf("of a kind that is not known, the error is %v", err)
	}
	if s.forgotten != 2 {
		t.Errorf("kinds were forgotten %d times", s.forgotten)
	}
}

// While its CRD is being deleted, an object is gone already. Requests for other objects of the kind show that nobody has deleted
// it.
func TestHintObjectGoesBeforeItsKind(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code int
		said string
		goes bool
	}{
		"it goes":         {http.StatusOK, `{"resources":[{"name":"groups","verbs":["get","list","delete"]}]}`, true},
		"it has gone":     {http.StatusOK, `{"resources":[]}`, true},
		"its group, too":  {http.StatusNotFound, `404 page not found`, true},
		"it stays":        {http.StatusOK, `{"resources":[{"name":"groups","verbs":["get","list","create"]}]}`, false},
		"nobody may know": {http.StatusForbidden, `{}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t)
			s.Made = true
			s.discovery = &restfake.RESTClient{
				NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
				Client: restfake.CreateHTTPClient(func(*http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: tt.code, Body: io.NopCloser(strings.NewReader(tt.said))}, nil
				}),
			}
			if asked, err := s.make(t); errors.Is(err, errKindGone) != tt.goes || !tt.goes && err != nil {
				t.Errorf("it was asked to %q; %v", asked, err)
			}
		})
	}
}
