package api

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// released holds the objects of earlier releases in the cluster, by name.
var released = map[string]*unstructured.Unstructured{}

// useReleases installs the CRD of each release over the CRD of the release before, and stores Frameworks as that release does: first
// without a status, which is a subresource.
func useReleases(ctx context.Context) error {
	dirs, err := filepath.Glob("../releases/testdata/v*")
	if err != nil || len(dirs) == 0 {
		return fmt.Errorf("%d releases are kept: %w", len(dirs), err)
	}
	for _, dir := range dirs {
		if err := installReleasedCRD(ctx, filepath.Base(dir), filepath.Join(dir, "frameworks-crd.yaml")); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(dir), err)
		}
		paths, err := filepath.Glob(filepath.Join(dir, "frameworks/*.yaml"))
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := storeReleased(ctx, filepath.Base(dir), path); err != nil {
				return fmt.Errorf("storing %s: %w", path, err)
			}
		}
	}
	return nil
}

// schemaMark is a field that the CRD of a release gets for the tests, whose default shows that its schema is in force.
const schemaMark = "schemaOf"

func installReleasedCRD(ctx context.Context, version, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &crd.Object); err != nil {
		return err
	}
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	if err != nil {
		return err
	}
	mark := map[string]any{"type": "string", "default": version}
	if err := unstructured.SetNestedField(versions[0].(map[string]any), mark, "schema", "openAPIV3Schema", "properties", schemaMark); err != nil {
		return err
	}
	if err := unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions"); err != nil {
		return err
	}
	if _, err := crds.Apply(ctx, v1.CRDName, crd, metav1.ApplyOptions{FieldManager: "frameworkcontroller", Force: true}); err != nil {
		return err
	}
	return eventually(ctx, func(ctx context.Context) error { return requireSchema(ctx, version) })
}

// requireSchema asks for the schema of that release; "" is today's.
func requireSchema(ctx context.Context, version string) error {
	f, err := parse("schema", "{spec: {}}")
	if err != nil {
		return err
	}
	f, err = rawClient.Create(ctx, f, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return err
	}
	if got, _, _ := unstructured.NestedString(f.Object, schemaMark); got != version {
		return fmt.Errorf("the schema in force belongs to %q, and not to %q", got, version)
	}
	return nil
}

func storeReleased(ctx context.Context, version, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name := strings.NewReplacer(".", "", "-", "").Replace(version + strings.TrimSuffix(filepath.Base(path), ".yaml"))
	f, err := parse(name, string(text))
	if err != nil {
		return err
	}
	unstructured.RemoveNestedField(f.Object, "metadata", "uid")
	unstructured.RemoveNestedField(f.Object, "metadata", "generation")
	status := f.Object["status"]
	f, err = rawClient.Create(ctx, f, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	f.Object["status"] = status
	released[name], err = rawClient.UpdateStatus(ctx, f, metav1.UpdateOptions{})
	return err
}

// An upgrade does not change the stored objects of a release, and they can be written again unchanged, both spec and status.
func TestObjectsOfReleases(t *testing.T) {
	for name, before := range released {
		t.Run(name, func(t *testing.T) {
			require.NotEmpty(t, before.Object["status"])
			now, err := rawClient.Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			requireEqual(t, now.Object["spec"], before.Object["spec"])
			requireEqual(t, now.Object["status"], before.Object["status"])
			written, err := rawClient.UpdateStatus(t.Context(), now, metav1.UpdateOptions{})
			require.NoError(t, err)
			requireEqual(t, written.Object["status"], before.Object["status"])
			written.SetLabels(map[string]string{"touched": "true"})
			written, err = rawClient.Update(t.Context(), written, metav1.UpdateOptions{})
			require.NoError(t, err)
			requireEqual(t, written.Object["spec"], before.Object["spec"])
		})
	}
}
