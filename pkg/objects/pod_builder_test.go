package objects_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

var demoTask = objects.Task{
	Framework:          objects.Owner{Namespace: "ns", Name: "demo", UID: "F"},
	FrameworkAttemptID: 2,
	ConfigMapUID:       "C",
	RoleName:           "worker",
	RoleUID:            "R",
	Index:              7,
	UID:                "T",
	AttemptID:          3,
}

func build(t testing.TB, template string) map[string]any {
	t.Helper()
	return buildFor(t, template, demoTask)
}

func buildFor(t testing.TB, template string, task objects.Task) map[string]any {
	t.Helper()
	body, err := objects.NewPodBuilder(task.RoleName, []byte(template)).Build(task)
	require.NoError(t, err)
	return parse(t, body)
}

func TestBuildOfNoTemplate(t *testing.T) {
	want := `{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": {
			"name": "demo-worker-7", "namespace": "ns",
			"annotations": {
				"FC_FRAMEWORK_NAMESPACE": "ns", "FC_FRAMEWORK_NAME": "demo", "FC_TASKROLE_NAME": "worker",
				"FC_TASK_INDEX": "7", "FC_CONFIGMAP_NAME": "demo-attempt", "FC_POD_NAME": "demo-worker-7",
				"FC_FRAMEWORK_UID": "F", "FC_FRAMEWORK_ATTEMPT_ID": "2",
				"FC_FRAMEWORK_ATTEMPT_INSTANCE_UID": "2_C", "FC_CONFIGMAP_UID": "C", "FC_TASKROLE_UID": "R",
				"FC_TASK_UID": "T", "FC_TASK_ATTEMPT_ID": "3"},
			"labels": {"FC_FRAMEWORK_NAME": "demo", "FC_TASKROLE_NAME": "worker", "FC_TASK_INDEX": "7"},
			"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "demo-attempt", "uid": "C",
				"controller": true, "blockOwnerDeletion": true}]},
		"spec": {}}`
	for _, template := range []string{"", "null", "{}", `{"metadata": null, "spec": null}`} {
		diff(t, build(t, template), parse(t, []byte(want)))
	}
}

func TestEnvironment(t *testing.T) {
	pod := build(t, `{"spec": {
		"initContainers": [{"name": "i"}],
		"containers": [{"name": "a", "env": [{"name": "FC_TASK_INDEX", "value": "mine"}]}, {"env": null}],
		"ephemeralContainers": [{"name": "e"}]}}`)
	want := []string{
		"FC_FRAMEWORK_NAMESPACE=ns", "FC_FRAMEWORK_NAME=demo", "FC_TASKROLE_NAME=worker", "FC_TASK_INDEX=7",
		"FC_CONFIGMAP_NAME=demo-attempt", "FC_POD_NAME=demo-worker-7", "FC_FRAMEWORK_UID=F",
		"FC_FRAMEWORK_ATTEMPT_ID=2", "FC_FRAMEWORK_ATTEMPT_INSTANCE_UID=2_C", "FC_CONFIGMAP_UID=C",
		"FC_TASKROLE_UID=R", "FC_TASK_UID=T", "FC_TASK_ATTEMPT_ID=3", "FC_POD_UID=metadata.uid",
		"FC_TASK_ATTEMPT_INSTANCE_UID=3_$(FC_POD_UID)",
	}
	diff(t, environment(t, at(pod, "spec", "initContainers", 0)), want)
	diff(t, environment(t, at(pod, "spec", "containers", 0)), append(want[:len(want):len(want)], "FC_TASK_INDEX=mine"))
	diff(t, environment(t, at(pod, "spec", "containers", 1)), want)
	diff(t, at(pod, "spec", "ephemeralContainers", 0), map[string]any{"name": "e"})
}

// environment renders the env of a container, one name=value each.
func environment(t *testing.T, container any) []string {
	t.Helper()
	data, err := json.Marshal(container)
	require.NoError(t, err)
	var typed corev1.Container
	require.NoError(t, json.Unmarshal(data, &typed))
	var out []string
	for _, e := range typed.Env {
		if e.ValueFrom != nil {
			e.Value = e.ValueFrom.FieldRef.FieldPath
		}
		out = append(out, e.Name+"="+e.Value)
	}
	return out
}

func TestTemplateAgainstController(t *testing.T) {
	const foreign = `{"apiVersion": "x/v1", "kind": "X", "name": "x", "uid": "X", "new": 1}`
	tests := []struct {
		name, template string
		path           []any
		want           any
	}{
		{"name is ours", `{"metadata": {"name": "x"}}`, []any{"metadata", "name"}, "demo-worker-7"},
		{"namespace is ours", `{"metadata": {"namespace": "x"}}`, []any{"metadata", "namespace"}, "ns"},
		{"label is ours", `{"metadata": {"labels": {"FC_TASK_INDEX": "x"}}}`, []any{"metadata", "labels", "FC_TASK_INDEX"}, "7"},
		{"annotation is ours", `{"metadata": {"annotations": {"FC_TASK_UID": "x"}}}`, []any{"metadata", "annotations", "FC_TASK_UID"}, "T"},
		{"other label is kept", `{"metadata": {"labels": {"a": "x"}}}`, []any{"metadata", "labels", "a"}, "x"},
		{"null labels", `{"metadata": {"labels": null}}`, []any{"metadata", "labels", "FC_TASK_INDEX"}, "7"},
		{"odd label goes to the API server", `{"metadata": {"labels": {"a": true}}}`, []any{"metadata", "labels", "a"}, true},
		{"owner is kept", `{"metadata": {"ownerReferences": [` + foreign + `]}}`, []any{"metadata", "ownerReferences", 0, "uid"}, "X"},
		{"owner is appended", `{"metadata": {"ownerReferences": [` + foreign + `]}}`, []any{"metadata", "ownerReferences", 1, "uid"}, "C"},
		{"generateName is kept", `{"metadata": {"generateName": "x"}}`, []any{"metadata", "generateName"}, "x"},
		{"finalizers are kept", `{"metadata": {"finalizers": ["a/b"]}}`, []any{"metadata", "finalizers", 0}, "a/b"},
		{"resourceVersion is dropped", `{"metadata": {"resourceVersion": "5"}}`, []any{"metadata", "resourceVersion"}, nil},
		{"status is dropped", `{"status": {"phase": "Running"}}`, []any{"status"}, nil},
		{"kind is ours", `{"kind": "X"}`, []any{"kind"}, "Pod"},
		{"no message policy", `{"spec": {"containers": [{}]}}`, []any{"spec", "containers", 0, "terminationMessagePolicy"}, "FallbackToLogsOnError"},
		{"empty message policy", `{"spec": {"initContainers": [{"terminationMessagePolicy": ""}]}}`, []any{"spec", "initContainers", 0, "terminationMessagePolicy"}, "FallbackToLogsOnError"},
		{"null message policy", `{"spec": {"containers": [{"terminationMessagePolicy": null}]}}`, []any{"spec", "containers", 0, "terminationMessagePolicy"}, "FallbackToLogsOnError"},
		{"own message policy", `{"spec": {"containers": [{"terminationMessagePolicy": "File"}]}}`, []any{"spec", "containers", 0, "terminationMessagePolicy"}, "File"},
		{"null container", `{"spec": {"containers": [null]}}`, []any{"spec", "containers", 0, "env", 0, "value"}, "ns"},
		{"null containers", `{"spec": {"containers": null}}`, []any{"spec", "containers"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			diff(t, at(build(t, test.template), test.path...), test.want)
		})
	}
}

func TestUnknownFieldsAndExactValuesSurvive(t *testing.T) {
	spec := `{
		"futureField": {"deep": [null, {"x": []}, true, ""]},
		"privileged": true,
		"ActiveDeadlineSeconds": 5,
		"numbers": [9007199254740993, -9223372036854775808, 18446744073709551616, 1.0, 1.10, 1e3, 1E+400, -0, 0.1],
		"text": ["<a href=\"x\">&</a>", "\u0000\u001f\u007f\u2028", "日本語 😀", "a\\b/c\t", "\\u003c"],
		"containers": [{"name": "c", "resizePolicy": [{"new": 1}], "resources": {"limits": {"x/y": 1}}}]}`
	pod := build(t, `{"metadata": {"newField": {"a": 1}}, "spec": `+spec+`}`)
	diff(t, at(pod, "metadata", "newField"), map[string]any{"a": json.Number("1")})

	got := pod["spec"].(map[string]any)
	remove(got["containers"].([]any)[0].(map[string]any), "env", "terminationMessagePolicy")
	diff(t, got, parse(t, []byte(spec)))
}

func TestBuildNamesTheBadField(t *testing.T) {
	tests := []struct{ template, want string }{
		{`[]`, `spec.taskRoles[worker].task.pod: must be an object, not a list`},
		{`"x"`, `spec.taskRoles[worker].task.pod: must be an object, not a string`},
		{`{"metadata": 5}`, `spec.taskRoles[worker].task.pod.metadata: must be an object, not a number`},
		{`{"metadata": {"labels": []}}`, `spec.taskRoles[worker].task.pod.metadata.labels: must be an object, not a list`},
		{`{"metadata": {"annotations": ""}}`, `spec.taskRoles[worker].task.pod.metadata.annotations: must be an object, not a string`},
		{`{"metadata": {"ownerReferences": {}}}`, `spec.taskRoles[worker].task.pod.metadata.ownerReferences: must be a list, not an object`},
		{`{"spec": false}`, `spec.taskRoles[worker].task.pod.spec: must be an object, not a boolean`},
		{`{"spec": {"containers": "x"}}`, `spec.taskRoles[worker].task.pod.spec.containers: must be a list, not a string`},
		{`{"spec": {"containers": [{}, "x"]}}`, `spec.taskRoles[worker].task.pod.spec.containers[1]: must be an object, not a string`},
		{`{"spec": {"initContainers": [{"env": {}}]}}`, `spec.taskRoles[worker].task.pod.spec.initContainers[0].env: must be a list, not an object`},
		{`{"spec": {"containers": ["{{FC_TASK_INDEX}}"], "{{FC_TASK_INDEX}}": 1}}`, `spec.taskRoles[worker].task.pod.spec.containers[0]: must be an object, not a string`},
		{`{} {}`, `spec.taskRoles[worker].task.pod: text after the JSON value`},
		{`{`, `spec.taskRoles[worker].task.pod: unexpected EOF`},
	}
	for _, test := range tests {
		_, err := objects.NewPodBuilder("worker", []byte(test.template)).Build(demoTask)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.template, err, test.want)
		}
	}
}

// A builder is used for many Pods at once; none may leave a trace in another, or in the template.
func TestBuilderIsReusable(t *testing.T) {
	for _, key := range []string{"plain", "{{FC_TASK_INDEX}}"} {
		template := `{"metadata": {"labels": {"` + key + `": "{{FC_TASK_INDEX}}"}}, "spec": {"containers": [{"env": []}]}}`
		stored := []byte(template)
		builder := objects.NewPodBuilder("worker", stored)
		first, _ := builder.Build(demoTask)
		other := demoTask
		other.Index, other.AttemptID = 8, 0
		second, _ := builder.Build(other)
		again, _ := builder.Build(demoTask)
		if string(first) != string(again) || string(first) == string(second) {
			t.Errorf("%s: got\n%s\n%s\n%s", key, first, second, again)
		}
		if string(stored) != template {
			t.Errorf("template is now %s", stored)
		}
	}
}

// Names that no API server accepts still result in valid JSON, so that the API server reports the mistake.
func TestNamesAreEscaped(t *testing.T) {
	task := demoTask
	task.Framework.Name = `a"\<` + "\n"
	body, err := objects.NewPodBuilder("worker", []byte(`{"spec": {"a": "{{FC_FRAMEWORK_NAME}}"}}`)).Build(task)
	require.NoError(t, err)
	diff(t, at(parse(t, body), "spec", "a"), task.Framework.Name)
}

const (
	benchmarkTemplate = `{"metadata": {"labels": {"app": "{{FC_FRAMEWORK_NAME}}"}}, "spec": {
		"hostname": "{{FC_TASKROLE_NAME}}-{{FC_TASK_INDEX}}", "restartPolicy": "Never", "hostNetwork": true,
		"schedulerName": "x", "tolerations": [{"key": "a", "operator": "Exists"}],
		"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms":
			[{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b", "c"]}]}]}}},
		"volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "hostPath": {"path": "/b"}}],
		"initContainers": [{"name": "barrier", "image": "barrier", "volumeMounts": [{"name": "a", "mountPath": "/a"}]}],
		"containers": [{"name": "main", "image": "image:1", "command": ["sh", "-c", "run --index={{FC_TASK_INDEX}}"],
			"env": [{"name": "A", "value": "$(FC_TASK_INDEX)"}],
			"resources": {"limits": {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": 1}},
			"volumeMounts": [{"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/b"}]}]}}`
	tokenInKey = `"app-{{FC_TASK_INDEX}}"`
)

func BenchmarkBuild(b *testing.B) {
	b.Run("tokens in values", func(b *testing.B) { benchmarkBuild(b, benchmarkTemplate) })
	b.Run("tokens in keys", func(b *testing.B) {
		benchmarkBuild(b, strings.Replace(benchmarkTemplate, `"app"`, tokenInKey, 1))
	})
}

func benchmarkBuild(b *testing.B, template string) {
	builder := objects.NewPodBuilder("worker", []byte(template))
	task := demoTask
	b.ReportAllocs()
	for b.Loop() {
		task.Index = (task.Index + 1) % 10000
		if _, err := builder.Build(task); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewPodBuilder(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		objects.NewPodBuilder("worker", []byte(benchmarkTemplate))
	}
}
