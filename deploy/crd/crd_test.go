package crd

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// schema is the part of a JSON schema that the tests look at.
type schema struct {
	Description     string            `json:"description"`
	Type            string            `json:"type"`
	Format          string            `json:"format"`
	Minimum         *float64          `json:"minimum"`
	Maximum         *float64          `json:"maximum"`
	Required        []string          `json:"required"`
	Properties      map[string]schema `json:"properties"`
	Items           *schema           `json:"items"`
	PreserveUnknown bool              `json:"x-kubernetes-preserve-unknown-fields"`
}

type definition struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Names struct {
			Categories []string `json:"categories"`
		} `json:"names"`
		Versions []struct {
			Name    string   `json:"name"`
			Columns []column `json:"additionalPrinterColumns"`
			Schema  struct {
				OpenAPIV3Schema schema `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

type column struct {
	Name     string `json:"name"`
	Priority int    `json:"priority"`
	JSONPath string `json:"jsonPath"`
}

func TestNames(t *testing.T) {
	crd := decode(t)
	if crd.Metadata.Name != v1.CRDName {
		t.Errorf("name: got %q, want %q", crd.Metadata.Name, v1.CRDName)
	}
	if len(crd.Spec.Versions) != 1 || crd.Spec.Versions[0].Name != v1.SchemeGroupVersion.Version {
		t.Errorf("versions: got %v", crd.Spec.Versions)
	}
}

// Whoever clears a namespace with "kubectl delete all --all" deletes what is in that category. Frameworks are not in it
// with the CRD of the original either, and what they have done goes with them.
func TestNotInTheCategoryAll(t *testing.T) {
	if categories := decode(t).Spec.Names.Categories; slices.Contains(categories, "all") {
		t.Errorf("categories: got %v", categories)
	}
}

// Client-side apply keeps a copy in an annotation, and all annotations together may have 262,144 bytes.
func TestSize(t *testing.T) {
	if len(Manifest) > 128*1024 {
		t.Errorf("%d bytes", len(Manifest))
	}
}

// A required field refuses existing manifests, so there are only the two that make no sense to leave out. An item of a newer
// list may require what makes it one. Conditions and avoided nodes are written by controllers; the former have the form that
// Kubernetes gives them.
func TestOnlySpecAndRoleNameAreRequired(t *testing.T) {
	want := map[string]string{"": "spec", "spec.taskRoles[]": "name", "spec.plugins[]": "name",
		"spec.scheduling.gang.perRole[]": "minTasks,role", "spec.scheduling.topology[]": "key,mode",
		"spec.retryPolicy.budgets[]": "maxRetryCount", "spec.taskRoles[].task.retryPolicy.budgets[]": "maxRetryCount",
		"spec.retryPolicy.window": "failures,withinSec", "spec.taskRoles[].task.retryPolicy.window": "failures,withinSec",
		"spec.ssh": "mountPath", "spec.volumes[]": "claim,mountPath,name",
		"spec.taskRoles[].items.configMapKeyRef": "key,name",
		"spec.retryPolicy.onOOM":                 "maxMemory", "spec.taskRoles[].task.retryPolicy.onOOM": "maxMemory",
		"status.retryPolicyStatus.budgets[]": "cause,retriedCount",
		"status.avoidedNodes[]":              "code,mode,name,phrase,taskIndex,taskRoleName,until", "status.avoidedNodes[].source": "plugin"}
	got := map[string]string{}
	walk(root(t), "", func(path string, s schema) {
		if len(s.Required) > 0 && path != "status.conditions[]" {
			got[path] = strings.Join(s.Required, ",")
		}
	})
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The API server does not enforce the format int32, and a number that does not fit makes an object unreadable for us.
func TestIntegersAreBounded(t *testing.T) {
	n := 0
	walk(root(t), "", func(path string, s schema) {
		if s.Type != "integer" || strings.HasPrefix(path, "status") && s.Format == "int64" {
			return
		}
		n++
		most := float64(math.MaxInt32)
		if s.Format == "int64" {
			most = math.MaxInt64 / 1e9 // seconds that fit a time.Duration
		}
		if s.Minimum == nil || s.Maximum == nil || *s.Maximum > most {
			t.Errorf("%s: minimum and maximum must be set, and the maximum at most %.0f", path, most)
		}
	})
	if n < 10 {
		t.Errorf("found only %d integers", n)
	}
}

func TestWhereUnknownFieldsAreKept(t *testing.T) {
	var got []string
	walk(root(t), "", func(path string, s schema) {
		if s.PreserveUnknown {
			got = append(got, path)
		}
	})
	want := []string{
		"spec.plugins[].parameters",
		"spec.taskRoles[].items.values[]",
		"spec.taskRoles[].task.pod",
		"spec.volumes[].claim",
		"status",
		"status.attemptStatus",
		"status.retryPolicyStatus",
		"status.tasks",
		"status.waiting",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// kubectl explain keeps line breaks and adds its own after 76 characters.
func TestHelpTexts(t *testing.T) {
	walk(root(t), "", func(path string, s schema) {
		if path == "" || strings.HasPrefix(path, "status.conditions[]") || !strings.Contains(path, ".") && path != "spec" {
			return
		}
		isItem := (s.Type == "string" || s.Type == "integer") && strings.HasSuffix(path, "[]") // of a list, which has the help text
		if s.Description == "" && !strings.HasPrefix(path, "metadata.") && !isItem {
			t.Errorf("%s has no help text", path)
		}
		for line := range strings.Lines(s.Description) {
			if len(strings.TrimSuffix(line, "\n")) > 76 {
				t.Errorf("%s: too wide: %s", path, line)
			}
		}
	})
}

// walk visits the schema and all below it, in the order of their paths.
func walk(s schema, path string, visit func(path string, s schema)) {
	visit(path, s)
	if s.Items != nil {
		walk(*s.Items, path+"[]", visit)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		walk(s.Properties[name], strings.TrimPrefix(path+"."+name, "."), visit)
	}
}

func root(t *testing.T) schema {
	t.Helper()
	return decode(t).Spec.Versions[0].Schema.OpenAPIV3Schema
}

func decode(t *testing.T) definition {
	t.Helper()
	text, err := yaml.ToJSON(Manifest)
	if err != nil {
		t.Fatal(err)
	}
	var crd definition
	if err := json.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	return crd
}
