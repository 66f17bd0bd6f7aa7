package convert

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// crdFiles has the file of each system's CRD in the folder that FC_CRDS names.
var crdFiles = map[string]string{
	"volcano":    "volcano-jobs.yaml",
	"jobset":     "jobset.yaml",
	"pytorch":    "training-operator-pytorchjobs.yaml",
	"tensorflow": "training-operator-tfjobs.yaml",
	"mpi":        "training-operator-mpijobs.yaml",
}

// The lists of fields have what the real CRDs have.
func TestFieldsAreThoseOfTheCRDs(t *testing.T) {
	dir := os.Getenv("FC_CRDS")
	if dir == "" {
		t.Skip("the CRDs of other systems are no part of this project; FC_CRDS names the folder with them")
	}
	for name, file := range crdFiles {
		crd := parse(t, readFile(t, filepath.Join(dir, file)))
		versions, _, _ := unstructured.NestedSlice(crd, "spec", "versions")
		spec, found, err := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema", "properties", "spec")
		if err != nil || !found {
			t.Fatalf("%s has no spec: %v", file, err)
		}
		paths := pathsOf("spec", spec)
		listed := fieldsOf(t, name)
		for _, path := range paths {
			if !slices.ContainsFunc(listed, func(f field) bool { return f.path == path }) {
				t.Errorf("%s has %s, and testdata/fields/%s.txt does not", file, path, name)
			}
		}
		for _, f := range listed {
			if !slices.Contains(paths, f.path) {
				t.Errorf("testdata/fields/%s.txt has %s, and %s does not", name, f.path, file)
			}
		}
	}
}

// opaque are fields into which the lists do not look: templates, and what has no equal as a whole.
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
