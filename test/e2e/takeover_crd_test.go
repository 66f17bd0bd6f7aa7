package e2e

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"

	"github.com/frameworkcontroller/frameworkcontroller/deploy/crd"
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// originalCRD is the CRD of the original, which has no status subresource.
const originalCRD = "../api/testdata/original-crd.yaml"

// installOriginalCRD replaces the CRD as the original does when it starts.
func installOriginalCRD(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(originalCRD)
	require.NoError(t, err)
	original := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal(text, &original.Object))
	c := crds(t)
	now, err := c.Get(t.Context(), v1.CRDName, metav1.GetOptions{})
	require.NoError(t, err)
	now.Object["spec"] = original.Object["spec"]
	if _, err := c.Update(t.Context(), now, metav1.UpdateOptions{FieldManager: "the-original"}); err != nil {
		t.Fatal(err)
	}
	awaitServed(t, "the original's", func(defaulted bool) bool { return !defaulted })
}

// applyCRD installs our CRD from its manifest, as an administrator may do before a controller starts.
func applyCRD(t *testing.T) {
	t.Helper()
	force := true
	_, err := crds(t).Patch(t.Context(), v1.CRDName, types.ApplyPatchType, crd.Manifest,
		metav1.PatchOptions{FieldManager: "administrator", Force: &force})
	require.NoError(t, err)
	awaitOurCRD(t)
}

func awaitOurCRD(t *testing.T) {
	t.Helper()
	awaitServed(t, "ours", func(defaulted bool) bool { return defaulted })
}

func crds(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(kube.Config)
	require.NoError(t, err)
	return client.Resource(schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
}

// awaitServed waits until the API server serves the wanted CRD; it keeps the old one for a moment. They differ in whether specs are
// defaulted.
func awaitServed(t *testing.T, which string, is func(defaulted bool) bool) {
	t.Helper()
	last := errors.New("never asked")
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		f := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
		f.SetGroupVersionKind(v1.SchemeGroupVersion.WithKind(v1.FrameworkKind))
		f.SetName("probe")
		var made *unstructured.Unstructured
		made, last = raw.Namespace(metav1.NamespaceDefault).Create(ctx, f, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return last == nil && is(fieldsOf(made.Object).at("spec").text("executionType") != ""), nil
	})
	if err != nil {
		t.Fatalf("the CRD that is served is not %s: %v: %v", which, err, last)
	}
}
