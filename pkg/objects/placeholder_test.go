package objects_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlaceholdersInText(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"namespace", "{{FC_FRAMEWORK_NAMESPACE}}", "ns"},
		{"framework", "{{FC_FRAMEWORK_NAME}}", "demo"},
		{"role", "{{FC_TASKROLE_NAME}}", "worker"},
		{"index", "{{FC_TASK_INDEX}}", "7"},
		{"configmap", "{{FC_CONFIGMAP_NAME}}", "demo-attempt"},
		{"pod", "{{FC_POD_NAME}}", "demo-worker-7"},
		{"within text", "x-{{FC_TASK_INDEX}}-y", "x-7-y"},
		{"several", "{{FC_TASK_INDEX}}{{FC_TASK_INDEX}}/{{FC_TASKROLE_NAME}}", "77/worker"},
		{"none", "plain", "plain"},
		{"empty", "", ""},
		{"inner space", "{{ FC_TASK_INDEX }}", "{{ FC_TASK_INDEX }}"},
		{"lower case", "{{fc_task_index}}", "{{fc_task_index}}"},
		{"unknown", "{{FC_TASK_UID}}{{FC_POD_UID}}{{X}}", "{{FC_TASK_UID}}{{FC_POD_UID}}{{X}}"},
		{"unknown before known", "{{FC_TASK_UID}}{{FC_TASK_INDEX}}", "{{FC_TASK_UID}}7"},
		{"longer name", "{{FC_TASK_INDEXES}}", "{{FC_TASK_INDEXES}}"},
		{"not closed", "{{FC_TASK_INDEX}", "{{FC_TASK_INDEX}"},
		{"not closed, then closed", "{{FC_TASK_INDEX{{FC_TASK_INDEX}}", "{{FC_TASK_INDEX7"},
		{"three braces", "{{{FC_TASK_INDEX}}}", "{7}"},
		{"four braces", "{{{{FC_TASK_INDEX}}}}", "{{7}}"},
		{"makes no new token", "{{FC_{{FC_TASK_INDEX}}}}", "{{FC_7}}"},
		{"quotes and escapes", "\"{{FC_TASK_INDEX}}\"\\{{FC_TASK_INDEX}}\n<{{FC_TASK_INDEX}}>é{{FC_TASK_INDEX}}", "\"7\"\\7\n<7>é7"},
		{"kubelet reference", "$(FC_TASK_INDEX)", "$(FC_TASK_INDEX)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, err := json.Marshal(test.text)
			require.NoError(t, err)
			pod := build(t, `{"spec": {"value": `+string(text)+`}}`)
			diff(t, at(pod, "spec", "value"), test.want)
			pod = build(t, `{"spec": {"key": {`+string(text)+`: 1}}}`)
			diff(t, at(pod, "spec", "key"), map[string]any{test.want: 1})
		})
	}
}

func TestPlaceholdersAnywhere(t *testing.T) {
	pod := build(t, `{
		"{{FC_TASKROLE_NAME}}": "dropped",
		"metadata": {
			"labels": {"l-{{FC_TASK_INDEX}}": "v-{{FC_TASK_INDEX}}", "FC_{{FC_TASKROLE_NAME}}": "kept"},
			"annotations": {"{{FC_POD_NAME}}/a": "{{FC_TASK_UID}}"},
			"generateName": "{{FC_FRAMEWORK_NAME}}-"},
		"spec": {
			"hostname": "{{FC_TASKROLE_NAME}}-{{FC_TASK_INDEX}}",
			"nodeSelector": {"{{FC_FRAMEWORK_NAME}}": "{{FC_FRAMEWORK_NAMESPACE}}"},
			"volumes": [{"name": "v-{{FC_TASK_INDEX}}", "configMap": {"name": "{{FC_CONFIGMAP_NAME}}"}}],
			"containers": [{
				"args": ["--i={{FC_TASK_INDEX}}"],
				"env": [{"name": "E_{{FC_TASK_INDEX}}", "value": "{{FC_POD_NAME}}"}]}]}}`)
	tests := []struct {
		path []any
		want any
	}{
		{[]any{"worker"}, nil},
		{[]any{"metadata", "labels", "l-7"}, "v-7"},
		{[]any{"metadata", "labels", "FC_worker"}, "kept"},
		{[]any{"metadata", "labels", "FC_TASK_INDEX"}, "7"},
		{[]any{"metadata", "annotations", "demo-worker-7/a"}, "{{FC_TASK_UID}}"},
		{[]any{"metadata", "generateName"}, "demo-"},
		{[]any{"spec", "hostname"}, "worker-7"},
		{[]any{"spec", "nodeSelector"}, map[string]any{"demo": "ns"}},
		{[]any{"spec", "volumes", 0, "name"}, "v-7"},
		{[]any{"spec", "volumes", 0, "configMap", "name"}, "demo-attempt"},
		{[]any{"spec", "containers", 0, "args", 0}, "--i=7"},
		{[]any{"spec", "containers", 0, "env", 15}, map[string]any{"name": "E_7", "value": "demo-worker-7"}},
	}
	for _, test := range tests {
		diff(t, at(pod, test.path...), test.want)
	}
}

// A token as an escaped character sequence is the same token: the API server stores it unescaped.
func TestEscapedToken(t *testing.T) {
	pod := build(t, `{"spec": {"a": "\u007b{FC_TASK_INDEX}\u007d"}}`)
	diff(t, at(pod, "spec", "a"), "7")
}

func TestKeysThatBecomeEqual(t *testing.T) {
	pod := build(t, `{"metadata": {"labels": {"l-{{FC_TASK_INDEX}}": "token", "l-7": "plain"}}}`)
	diff(t, at(pod, "metadata", "labels", "l-7"), "token")
}

// Replacement comes first, so a key may become one that the controller sets or looks for.
func TestKeysThatBecomeSpecial(t *testing.T) {
	task := demoTask
	task.RoleName = "containers"
	b := buildFor(t, `{"spec": {"{{FC_TASKROLE_NAME}}": [{"name": "c"}]}}`, task)
	diff(t, at(b, "spec", "containers", 0, "env", 2, "value"), "containers")
}
