package convert

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	yamlv3 "gopkg.in/yaml.v3"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Stories convert objects in YAML, and show the spec of the Framework: all but the Pod templates (convert), or these alone (pods). Reported
// losses come first.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata/stories", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			object := parse(t, d.Input)
			if object["metadata"] == nil {
				object["metadata"] = map[string]any{"name": "train"}
			}
			result, err := Object(object)
			if err != nil {
				return "error: " + strings.ReplaceAll(err.Error(), "\n", "\nerror: ") + "\n"
			}
			return shown(t, result, d.Cmd)
		})
	})
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	object := map[string]any{}
	if err := unmarshal(text, &object); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return object
}

func unmarshal(text string, object *map[string]any) error {
	return yaml.UnmarshalStrict([]byte(text), object)
}

func shown(t *testing.T, result *Result, what string) string {
	t.Helper()
	var b strings.Builder
	for _, lost := range result.Lost {
		fmt.Fprintln(&b, "told:", lost)
	}
	spec := result.Framework["spec"].(map[string]any)
	pods := map[string]any{}
	for _, role := range spec["taskRoles"].([]any) {
		task := role.(map[string]any)["task"].(map[string]any)
		pods[role.(map[string]any)["name"].(string)] = task["pod"]
		if delete(task, "pod"); len(task) == 0 {
			delete(role.(map[string]any), "task")
		}
	}
	switch what {
	case "convert":
		b.WriteString(asYAML(t, spec))
	case "pods":
		b.WriteString(asYAML(t, pods))
	case "metadata":
		b.WriteString(asYAML(t, result.Framework["metadata"].(map[string]any)))
	default:
		t.Fatalf("%s is no command", what)
	}
	return b.String()
}

func asYAML(t *testing.T, object map[string]any) string {
	t.Helper()
	var b strings.Builder
	encoder := yamlv3.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(object); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
