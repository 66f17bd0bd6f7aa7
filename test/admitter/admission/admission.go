package admission

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
)

// CRD is the definition of the kind.
//
//go:embed crd.yaml
var CRD []byte

// Resource is the resource of the admission objects.
var Resource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "admissions"}

// Phases of an attempt. One without has not been answered.
const (
	Admitted = "Admitted"
	Evicted  = "Evicted"
)

// UnknownField is the queue of a scheduler that wants a field of Pods unknown to every API server.
const UnknownField = "unknown-field"

// UnknownRole is the queue of a scheduler that has patches for a role that there is not.
const UnknownRole = "unknown-role"

// Define creates the kind, which is available a moment later.
func Define(ctx context.Context, client dynamic.Interface) error {
	crd := &unstructured.Unstructured{}
	if err := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(CRD), 4096).Decode(&crd.Object); err != nil {
		return err
	}
	crds := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	_, err := client.Resource(crds).Create(ctx, crd, metav1.CreateOptions{})
	return err
}

// Answer is the status of an object.
type Answer struct {
	Phase        string `json:"phase"`
	Message      string `json:"message"`
	GraceSeconds int32  `json:"graceSeconds"` // for the Pods of an evicted attempt; 0 for their own
}

// Say answers.
func Say(ctx context.Context, admissions dynamic.ResourceInterface, name string, a Answer) error {
	patch, err := json.Marshal(map[string]Answer{"status": a})
	if err != nil {
		return err
	}
	_, err = admissions.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
