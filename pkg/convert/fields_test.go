package convert

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
)

// system is a system whose objects are converted.
type system struct {
	page   string // in docs/tasks, after "move-"
	object string // a minimal valid object
}

const podTemplate = "template: {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}"

var known = map[string]system{
	"volcano": {"from-volcano.md", "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: x}, spec: {tasks: [{name: a, replicas: 3, " + podTemplate + "}, {name: b, replicas: 3, " + podTemplate + "}]}}"},
	"jobset": {"from-jobset.md", "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: x}, spec: {replicatedJobs: [" +
		"{name: a, template: {spec: {" + podTemplate + "}}}, {name: b, template: {spec: {" + podTemplate + "}}}]}}"},
	"pytorch":    {"from-training-operator.md", "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: x}, spec: {pytorchReplicaSpecs: {Worker: {replicas: 3, " + podTemplate + "}}}}"},
	"tensorflow": {"from-training-operator.md", "{apiVersion: kubeflow.org/v1, kind: TFJob, metadata: {name: x}, spec: {tfReplicaSpecs: {Worker: {replicas: 3, " + podTemplate + "}}}}"},
	"mpi":        {"from-training-operator.md", "{apiVersion: kubeflow.org/v1, kind: MPIJob, metadata: {name: x}, spec: {mpiReplicaSpecs: {Launcher: {" + podTemplate + "}, Worker: {replicas: 3, " + podTemplate + "}}}}"},
	"job":        {"from-jobset.md", "{apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {completionMode: Indexed, completions: 3, parallelism: 3, " + podTemplate + "}}"},
}

// Every field in the spec of another system, by its CRD, is known here: it is taken, or reported. None is reported as unknown.
func TestEveryFieldIsKnown(t *testing.T) {
	for name, s := range known {
		fields := fieldsOf(t, name)
		if name == "jobset" {
			fields = append(fields, fieldsOfType("spec.replicatedJobs[].template.spec", reflect.TypeFor[batchv1.JobSpec]())...)
		}
		if len(fields) < 10 {
			t.Errorf("%s has only %d fields", name, len(fields))
		}
		for _, f := range fields {
			object := parse(t, s.object)
			f.set(object, f.value())
			result, err := Object(object)
			switch {
			case err != nil && strings.Contains(err.Error(), f.parent()):
				// It is known well enough to be refused.
			case err != nil:
				t.Errorf("%s: %s: %v", name, f.path, err)
			default:
				for _, lost := range result.Lost {
					if lost.Unknown {
						t.Errorf("%s: %s", name, lost)
					}
				}
			}
		}
	}
}

// The test finds an unknown field.
func TestUnknownFieldIsSeen(t *testing.T) {
	for name, s := range known {
		for _, path := range []string{"spec.colour", "metadata.colour", "colour"} {
			object := parse(t, s.object)
			field{path: path}.set(object, "red")
			result, err := Object(object)
			require.NoError(t, err)
			if !slices.ContainsFunc(result.Lost, func(l Lost) bool { return l.Path == path }) {
				t.Errorf("%s: %s is dropped without a word", name, path)
			}
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// field is a field of a schema: in its path, [] means any item of a list, and {} any value of a map.
type field struct {
	path, kind string
	values     []string // the allowed values, if they are limited
}

func fieldsOf(t *testing.T, name string) (all []field) {
	t.Helper()
	if name == "job" {
		return fieldsOfType("spec", reflect.TypeFor[batchv1.JobSpec]())
	}
	for line := range strings.Lines(readFile(t, "testdata/fields/"+name+".txt")) {
		path, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		kind, values, isEnum := strings.Cut(kind, " ")
		f := field{path: path, kind: kind}
		switch {
		case kind == "list":
			f.kind = "list " + values
		case isEnum:
			f.values = strings.Split(values, "|")
		}
		all = append(all, f)
	}
	return all
}

// fieldsOfType lists the fields of a Go type of the Kubernetes API.
func fieldsOfType(path string, of reflect.Type) (all []field) {
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		f := field{path: path + "." + name}
		inner := of.Field(i).Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch inner.Kind() {
		case reflect.String:
			f.kind = "string"
		case reflect.Bool:
			f.kind = "boolean"
		case reflect.Int32, reflect.Int64:
			f.kind = "integer"
		case reflect.Slice:
			f.kind = "objects"
			if inner.Elem().Kind() == reflect.Struct {
				all = append(all, fieldsOfType(f.path+"[]", inner.Elem())...)
			} else {
				f.kind = "list of integer"
			}
		case reflect.Struct:
			f.kind = "object"
			if name != "template" && name != "selector" {
				all = append(all, fieldsOfType(f.path, inner)...)
			}
		}
		all = append(all, f)
	}
	return all
}

// value returns a value that the field may have.
func (f field) value() any {
	switch {
	case len(f.values) > 0:
		return f.values[len(f.values)-1]
	case strings.HasSuffix(f.path, "emplate"): // as the object sets it
		return nil
	}
	switch f.kind {
	case "integer":
		return int64(2)
	case "boolean":
		return true
	case "objects":
		return []any{map[string]any{}}
	case "list of string":
		return []any{"a"}
	case "list of integer":
		return []any{int64(2)}
	case "object", "map":
		return map[string]any{}
	}
	return "x"
}

// parent is the path that a message names if the made-up value, or a missing field beside it, makes no sense.
func (f field) parent() string {
	path, _, _ := strings.Cut(f.path, "[]")
	path, _, _ = strings.Cut(path, "{}")
	return path
}

// set puts a value into an object, unless it is nil.
func (f field) set(object map[string]any, value any) {
	if value == nil {
		return
	}
	at := object
	parts := strings.Split(f.path, ".")
	for _, part := range parts[:len(parts)-1] {
		key := strings.TrimRight(part, "[]{}")
		switch {
		case strings.HasSuffix(part, "[]"):
			list, _ := at[key].([]any)
			if len(list) == 0 {
				list = []any{map[string]any{}}
				at[key] = list
			}
			at = list[len(list)-1].(map[string]any)
		case strings.HasSuffix(part, "{}"):
			at = under(under(at, key), "Worker")
		default:
			at = under(at, key)
		}
	}
	last := parts[len(parts)-1]
	if at[last] == nil || f.kind == "string" || f.kind == "integer" || f.kind == "boolean" {
		at[last] = value
	}
}

// Any object gets an answer, the same each time, without a panic, and stays unchanged.
func FuzzObject(f *testing.F) {
	for _, s := range known {
		f.Add(s.object)
	}
	f.Fuzz(func(t *testing.T, text string) {
		object := map[string]any{}
		if err := unmarshal(text, &object); err != nil {
			return
		}
		before := fmt.Sprint(object)
		first, err := Object(object)
		second, err2 := Object(object)
		if !reflect.DeepEqual(first, second) || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Errorf("%v, %v\nis not\n%v, %v", first, err, second, err2)
		}
		if after := fmt.Sprint(object); after != before {
			t.Errorf("the object was changed from %s to %s", before, after)
		}
		spec, _ := object["spec"].(map[string]any)
		if err != nil || spec["ofNobody"] != nil {
			return
		}
		spec["ofNobody"] = planted
		if result, err := Object(object); err == nil && !tells(result, "spec.ofNobody") {
			t.Error("a field is dropped without a word")
		}
	})
}

// Each place of a good object may have something else in it.
func TestGarbageAnywhere(t *testing.T) {
	garbage := []any{"text", int64(-5), int64(1) << 40, 1.5, true, []any{}, []any{nil, "x", int64(1)}, map[string]any{}, map[string]any{"a": nil}, nil}
	for name, s := range known {
		for _, f := range append(fieldsOf(t, name), field{path: "metadata"}, field{path: "metadata.name"}, field{path: "metadata.labels"}, field{path: "spec"}) {
			for _, value := range garbage {
				object := parse(t, s.object)
				f.kind = "string" // always replaces the existing value
				f.set(object, value)
				result, err := Object(object)
				if (result == nil) == (err == nil) {
					t.Errorf("%s: %s is %v: neither a Framework nor an error, or both", name, f.path, value)
				}
			}
		}
	}
}
