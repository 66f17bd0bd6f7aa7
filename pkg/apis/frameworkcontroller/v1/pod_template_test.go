package v1

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
)

// oddTemplate has everything that a typed round trip would lose or change: unknown fields, the order of the keys,
// explicit nulls and empty values, a number too large for a float64.
const oddTemplate = `{"spec":{"zNewField":{"x":[1,null]},"containers":[{"name":"c","image":"i","resources":{}}],` +
	`"runtimeClassName":null,"aNewNumber":9007199254740993},"metadata":{"creationTimestamp":null}}`

func TestPodTemplateIsNotRewritten(t *testing.T) {
	text := `{"task":{"pod":` + oddTemplate + `}}`
	for range 2 {
		var role TaskRoleSpec
		require.NoError(t, json.Unmarshal([]byte(text), &role))
		if got := string(role.Task.Pod); got != oddTemplate {
			t.Fatalf("got  %s\nwant %s", got, oddTemplate)
		}
		written, err := json.Marshal(role)
		require.NoError(t, err)
		text = string(written)
	}
}

// Without an order of its own, an unstructured object still gives the same bytes each time, as the pure core needs.
func TestPodTemplateFromUnstructuredIsStable(t *testing.T) {
	var pod map[string]any
	require.NoError(t, json.Unmarshal([]byte(oddTemplate), &pod))
	var first TaskSpec
	for range 10 {
		var task TaskSpec
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"pod": pod}, &task)
		require.NoError(t, err)
		if first.Pod == nil {
			first = task
		}
		if string(task.Pod) != string(first.Pod) {
			t.Fatalf("got %s, before %s", task.Pod, first.Pod)
		}
	}
	if !strings.Contains(string(first.Pod), `"zNewField":{"x":[1,null]}`) {
		t.Errorf("the unknown field is lost: %s", first.Pod)
	}
}

func TestPodTemplateOfNothing(t *testing.T) {
	for _, text := range []string{`{}`, `{"pod":null}`} {
		var task TaskSpec
		require.NoError(t, json.Unmarshal([]byte(text), &task))
		written, err := json.Marshal(task)
		require.NoError(t, err)
		if len(task.Pod) != 0 || strings.Contains(string(written), "pod\":") {
			t.Errorf("%s: became %q, written as %s", text, task.Pod, written)
		}
		template, err := task.Pod.Decode()
		if err != nil || template == nil {
			t.Errorf("%s: decoded as %v, %v", text, template, err)
		}
	}
	if written, err := json.Marshal(PodTemplate(nil)); err != nil || string(written) != "{}" {
		t.Errorf("an empty template by itself: %s, %v", written, err)
	}
}

func TestDecodePodTemplate(t *testing.T) {
	tests := []struct {
		what, text, wantError string
	}{
		{"ordinary", `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`, ""},
		{"unknown field", oddTemplate, ""},
		{"number for a text", `{"spec":{"containers":[{"name":"c","image":5}]}}`, "image"},
		{"text for a number", `{"spec":{"containers":[{"ports":[{"containerPort":"http"}]}]}}`, "containerPort"},
		{"object for a list", `{"spec":{"containers":{}}}`, "containers"},
		{"text for the template", `"pod"`, "decoding pod template"},
		{"broken JSON", `{"spec":`, "decoding pod template"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			template, err := PodTemplate(tt.text).Decode()
			if tt.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantError) {
					t.Fatalf("got error %v, want one that names %q", err, tt.wantError)
				}
				return
			}
			require.NoError(t, err)
			if got := template.Spec.Containers[0].Image; got != "i" {
				t.Errorf("image: got %q", got)
			}
		})
	}
}

// The API server treats "Containers" as an unknown field. A program that read it as containers would count and classify
// containers that no Pod has.
func TestDecodePodTemplateMindsTheCase(t *testing.T) {
	template, err := PodTemplate(`{"spec":{"Containers":[{"name":"c"}]}}`).Decode()
	require.NoError(t, err)
	if len(template.Spec.Containers) != 0 {
		t.Errorf("got %v", template.Spec.Containers)
	}
}
