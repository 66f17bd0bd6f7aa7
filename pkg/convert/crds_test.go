package convert

import (
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/frameworkcontroller/frameworkcontroller/test/crds"
)

// crdOf has each system's CRD.
var crdOf = map[string]crds.CRD{
	"volcano":    crds.VolcanoJob,
	"jobset":     crds.JobSet,
	"pytorch":    crds.PyTorchJob,
	"tensorflow": crds.TFJob,
	"mpi":        crds.MPIJob,
}

// The lists of fields equal the real CRDs.
func TestFieldsAreThoseOfTheCRDs(t *testing.T) {
	for name, of := range crdOf {
		text, err := of.Read(t.Context(), os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		crd := parse(t, string(text))
		versions, _, _ := unstructured.NestedSlice(crd, "spec", "versions")
		spec, found, err := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema", "properties", "spec")
		if err != nil || !found {
			t.Fatalf("%s has no spec: %v", name, err)
		}
		paths := pathsOf("spec", spec)
		listed := fieldsOf(t, name)
		for _, path := range paths {
			if !slices.ContainsFunc(listed, func(f field) bool { return f.path == path }) {
				t.Errorf("the CRD has %s, and testdata/fields/%s.txt does not", path, name)
			}
		}
		for _, f := range listed {
			if !slices.Contains(paths, f.path) {
				t.Errorf("testdata/fields/%s.txt has %s, and the CRD does not", name, f.path)
			}
		}
	}
}

// opaque are fields into which the lists do not look: templates, and fields that have no equivalent as a whole.
var opaque = []string{"template", "templates", "volumeClaim", "metrics", "minResources", "metadata"}

func pathsOf(path string, schema map[string]any) (paths []string) {
	if path != "spec" {
		paths = append(paths, path)
	}
	parts := strings.Split(path, ".")
	if last := strings.TrimRight(parts[len(parts)-1], "[]{}"); slices.Contains(opaque, last) && path != "spec.replicatedJobs[].template" {
		return paths
	}
	if path == "spec.replicatedJobs[].template.spec" {
		return paths
	}
	for _, inner := range []struct{ key, suffix string }{{"items", "[]"}, {"additionalProperties", "{}"}, {"", ""}} {
		of := schema
		if inner.key != "" {
			of, _ = schema[inner.key].(map[string]any)
		}
		properties, _ := of["properties"].(map[string]any)
		for key, each := range properties {
			paths = append(paths, pathsOf(path+inner.suffix+"."+key, each.(map[string]any))...)
		}
	}
	return paths
}
