package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/frameworkcontroller/frameworkcontroller/deploy/crd"
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// Every block of YAML is a manifest, a status or a configuration, and so one of the tests below looks at it.
func TestManualHasNoOtherYAML(t *testing.T) {
	tested := len(manifests(t)) + len(statuses(t)) + len(configurations(t)) + len(logConfigurations(t))
	all := 0
	for _, p := range manual(t) {
		all += len(page.Blocks(p.text, "yaml"))
	}
	if tested != all {
		t.Errorf("%d blocks of YAML are there, %d of them are recognized", all, tested)
	}
}

// The history server accepts the configurations for logs.
func TestManualLogConfigurations(t *testing.T) {
	for _, e := range logConfigurations(t) {
		_, err := logs.ParseConfig([]byte(e.text))
		require.NoError(t, err, e.at)
	}
}

// Every manifest that a reader may copy is accepted, with all its fields, and so are the Pods that the templates make.
func TestManualManifests(t *testing.T) {
	for _, e := range manifests(t) {
		t.Run(e.at, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "manifest.yaml")
			require.NoError(t, os.WriteFile(file, []byte(e.text), 0o644))
			kubectl(t, "apply", "--dry-run=server", "--validate=strict", "-f", file)
			for _, f := range frameworksIn(t, e) {
				applyPods(t, f)
			}
		})
	}
}

// applyPods lets the API server judge a Pod of each role.
func applyPods(t *testing.T, framework map[string]any) {
	t.Helper()
	roles, _, err := unstructured.NestedSlice(framework, "spec", "taskRoles")
	require.NoError(t, err)
	for i, role := range roles {
		pod, _, err := unstructured.NestedMap(role.(map[string]any), "task", "pod")
		require.NoError(t, err)
		pod["apiVersion"], pod["kind"] = "v1", "Pod"
		require.NoError(t, unstructured.SetNestedField(pod, fmt.Sprintf("manual-%d", i), "metadata", "name"))
		text, err := json.Marshal(pod)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "pod.json")
		// Placeholders are no valid hostnames; their values do not matter here.
		require.NoError(t, os.WriteFile(file, regexp.MustCompile(`\{\{FC_\w+\}\}`).ReplaceAll(text, []byte("x")), 0o644))
		kubectl(t, "apply", "--dry-run=server", "--validate=strict", "-f", file)
	}
}

// The manual shows the smallest Framework with the defaults of the API server.
func TestManualDefaults(t *testing.T) {
	var specs []any
	for _, e := range manifests(t) {
		for _, f := range frameworksIn(t, e) {
			object := &unstructured.Unstructured{Object: f}
			if object.GetName() != "smallest" {
				continue
			}
			stored, err := rawClient.Create(t.Context(), object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			require.NoError(t, err)
			specs = append(specs, f["spec"], stored.Object["spec"])
		}
	}
	if len(specs) != 4 {
		t.Fatalf("there are %d Frameworks called smallest, want it as written and as stored", len(specs)/2)
	}
	written, filledIn, shown := specs[0], specs[1], specs[2]
	if reflect.DeepEqual(written, filledIn) {
		t.Error("it shows no default")
	}
	if got, want := asJSON(t, shown), asJSON(t, filledIn); got != want {
		t.Errorf("shown  %s\nstored %s", got, want)
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

// Every field of the spec has its place in a complete example.
func TestManualNamesEveryFieldOfTheSpec(t *testing.T) {
	shown := paths{}
	for _, e := range manifests(t) {
		for _, f := range frameworksIn(t, e) {
			shown.collect("spec", f["spec"])
		}
	}
	shown["spec.retryPolicy.restart"] = true // the CRD refuses it: it is for the retry policies of Tasks
	for _, field := range []string{"onOOM", "onOOM.memoryFactor", "onOOM.maxMemory"} {
		shown["spec.retryPolicy."+field] = true // the same
	}
	shown.require(t, fieldsOf(specSchema(t), "spec"))
}

func specSchema(t *testing.T) map[string]any {
	t.Helper()
	var manifest map[string]any
	require.NoError(t, yaml.Unmarshal(crd.Manifest, &manifest))
	versions, _, err := unstructured.NestedSlice(manifest, "spec", "versions")
	if err != nil || len(versions) != 1 {
		t.Fatalf("the CRD has %d versions: %v", len(versions), err)
	}
	schema, found, err := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema", "properties", "spec")
	if err != nil || !found {
		t.Fatalf("the CRD has no schema of the spec: %v", err)
	}
	return schema
}

// fieldsOf lists the fields of a schema and of the schemas within it.
func fieldsOf(schema map[string]any, path string) []string {
	found := []string{path}
	if properties, ok := schema["properties"].(map[string]any); ok {
		for name, property := range properties {
			found = append(found, fieldsOf(property.(map[string]any), path+"."+name)...)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		found = append(found, fieldsOf(items, path+"[]")...)
	}
	return found
}

// Statuses in the manual could have been written by the controller, and together they show every field.
func TestManualNamesEveryFieldOfTheStatus(t *testing.T) {
	shown := paths{}
	for _, e := range statuses(t) {
		text, err := yaml.ToJSON([]byte(e.text))
		if err != nil {
			t.Fatalf("%s: %v", e.at, err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatalf("%s: %v", e.at, err)
		}
		shown.collect("status", fields["status"])
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&struct{ Status v1.FrameworkStatus }{}); err != nil {
			t.Errorf("%s: %v", e.at, err)
		}
	}
	shown.require(t, jsonFields(reflect.TypeFor[v1.FrameworkStatus](), "status"))
}

// The status that the manual explains field by field makes sense to the controller.
func TestManualStatusMakesSense(t *testing.T) {
	loaded := 0
	for _, e := range statuses(t) {
		var object struct{ Status v1.FrameworkStatus }
		if err := yaml.Unmarshal([]byte(e.text), &object); err != nil {
			t.Fatalf("%s: %v", e.at, err)
		}
		if object.Status.State == "" {
			continue // an excerpt
		}
		loaded++
		if _, err := lifecycle.Load(&object.Status); err != nil {
			t.Errorf("%s: %v", e.at, err)
		}
	}
	if loaded == 0 {
		t.Error("the manual has no complete status")
	}
}

// jsonFields lists the fields of a type of ours, and of such types within it, by their names in JSON.
func jsonFields(of reflect.Type, path string) []string {
	switch {
	case of.Kind() == reflect.Pointer:
		return jsonFields(of.Elem(), path)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		return jsonFields(of.Elem(), path+"[]")
	case of.Kind() != reflect.Struct || of.PkgPath() != reflect.TypeFor[v1.Framework]().PkgPath():
		return []string{path}
	}
	found := []string{path}
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name == "" { // inline
			found = append(found, jsonFields(of.Field(i).Type, path)...)
			continue
		}
		found = append(found, jsonFields(of.Field(i).Type, path+"."+name)...)
	}
	return found
}

// paths are the places of values in YAML or JSON, such as spec.taskRoles[].name.
type paths map[string]bool

func (p paths) collect(path string, value any) {
	p[path] = true
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			p.collect(strings.TrimPrefix(path+"."+name, "."), field)
		}
	case []any:
		for _, element := range v {
			p.collect(path+"[]", element)
		}
	}
}

func (p paths) require(t *testing.T, wanted []string) {
	t.Helper()
	for _, path := range wanted {
		if !p[path] {
			t.Errorf("%s is nowhere in the manual", path)
		}
	}
}
