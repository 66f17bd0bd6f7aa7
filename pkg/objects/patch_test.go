package objects_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func TestPatched(t *testing.T) {
	texts := map[string]string{"a": "1", "b": "{{FC_TASK_INDEX}}"}
	tests := []struct {
		name, template string
		patch          *pluginpb.PodPatch
		want           string
	}{
		{"nothing", `{"spec": {"x": 1.50, "y": "<&>"}, "metadata": {}}`, &pluginpb.PodPatch{}, `{"spec": {"x": 1.50, "y": "<&>"}, "metadata": {}}`},
		{"nothing of nothing", ``, &pluginpb.PodPatch{}, `{"metadata": {}, "spec": {}}`},
		{"labels and annotations", `{"metadata": {"labels": {"a": "0", "c": "2"}}}`, &pluginpb.PodPatch{Labels: texts, Annotations: texts},
			`{"metadata": {"annotations": {"a": "1", "b": "{{FC_TASK_INDEX}}"}, "labels": {"a": "1", "b": "{{FC_TASK_INDEX}}", "c": "2"}}, "spec": {}}`},
		{"labels of null", `{"metadata": {"labels": null}, "spec": null}`, &pluginpb.PodPatch{Labels: map[string]string{"a": "1"}},
			`{"metadata": {"labels": {"a": "1"}}, "spec": {}}`},
		{"names", `{"spec": {"schedulerName": "x", "priorityClassName": null}}`, &pluginpb.PodPatch{SchedulerName: "s", PriorityClassName: "p"},
			`{"metadata": {}, "spec": {"schedulerName": "s", "priorityClassName": "p"}}`},
		{"empty names", `{"spec": {"schedulerName": "x", "priorityClassName": "y"}}`, &pluginpb.PodPatch{},
			`{"metadata": {}, "spec": {"schedulerName": "x", "priorityClassName": "y"}}`},
		{"node selector", `{"spec": {"nodeSelector": {"a": "0", "c": "2"}}}`, &pluginpb.PodPatch{NodeSelector: map[string]string{"a": "1"}},
			`{"metadata": {}, "spec": {"nodeSelector": {"a": "1", "c": "2"}}}`},
		{"affinity", `{"spec": {"affinity": {"podAffinity": {}}}}`, &pluginpb.PodPatch{AffinityJson: []byte(`{"newAffinity": {"weight": 9007199254740993}}`)},
			`{"metadata": {}, "spec": {"affinity": {"newAffinity": {"weight": 9007199254740993}}}}`},
		{"null affinity", `{"spec": {"affinity": {"podAffinity": {}}}}`, &pluginpb.PodPatch{AffinityJson: []byte(`null`), TolerationsJson: []byte(`null`), SpecJson: []byte(`null`)},
			`{"metadata": {}, "spec": {"affinity": {"podAffinity": {}}}}`},
		{"tolerations", `{"spec": {"tolerations": [{"key": "a"}]}}`, &pluginpb.PodPatch{TolerationsJson: []byte(`[{"key": "b", "newField": 1}]`)},
			`{"metadata": {}, "spec": {"tolerations": [{"key": "a"}, {"key": "b", "newField": 1}]}}`},
		{"tolerations of null", `{"spec": {"tolerations": null}}`, &pluginpb.PodPatch{TolerationsJson: []byte(`[{"key": "b"}]`)},
			`{"metadata": {}, "spec": {"tolerations": [{"key": "b"}]}}`},
		{"gates", `{"spec": {"schedulingGates": [{"name": "x"}, null]}}`, &pluginpb.PodPatch{SchedulingGates: []string{"x", "y"}},
			`{"metadata": {}, "spec": {"schedulingGates": [{"name": "x"}, null, {"name": "y"}]}}`},
		{"first container", `{"spec": {"containers": [null, {"name": "b"}]}}`, &pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{Limits: texts}}},
			`{"metadata": {}, "spec": {"containers": [{"resources": {"limits": {"a": "1", "b": "{{FC_TASK_INDEX}}"}}}, {"name": "b"}]}}`},
		{"container", `{"spec": {"containers": [{"name": "a"}, {"name": "b", "env": [{"name": "X", "value": "0"}],
				"resources": {"requests": {"cpu": 1, "memory": "1Gi"}, "claims": []}}]}}`,
			&pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{Name: "b", EnvJson: []byte(`[{"name": "Y"}, {"name": "X"}]`), Requests: map[string]string{"cpu": "2"}}}},
			`{"metadata": {}, "spec": {"containers": [{"name": "a"}, {"name": "b", "env": [{"name": "Y"}, {"name": "X"}, {"name": "X", "value": "0"}],
				"resources": {"requests": {"cpu": "2", "memory": "1Gi"}, "claims": []}}]}}`},
		{"container of nulls", `{"spec": {"containers": [{"name": "a", "env": null, "resources": {"requests": null}}]}}`,
			&pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{Name: "a", EnvJson: []byte(`[{"name": "Y"}]`), Requests: map[string]string{"cpu": "2"}}}},
			`{"metadata": {}, "spec": {"containers": [{"name": "a", "env": [{"name": "Y"}], "resources": {"requests": {"cpu": "2"}}}]}}`},
		{"one container twice", `{"spec": {"containers": [{"name": "a"}]}}`,
			&pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{Limits: map[string]string{"x": "1"}}, {Name: "a", Limits: map[string]string{"y": "2"}}}},
			`{"metadata": {}, "spec": {"containers": [{"name": "a", "resources": {"limits": {"x": "1", "y": "2"}}}]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkPatched(t, tt.template, tt.patch, tt.want) })
	}
}

// checkPatched ignores empty metadata and an empty spec, which make no difference to a Pod.
func checkPatched(t *testing.T, template string, patch *pluginpb.PodPatch, want string) {
	t.Helper()
	before := proto.CloneOf(patch)
	got, err := objects.Patched("worker", []byte(template), patch)
	require.NoError(t, err)
	w := parse(t, []byte(want))
	for _, key := range []string{"metadata", "spec"} {
		if w[key] == nil {
			w[key] = map[string]any{}
		}
	}
	diff(t, parse(t, got), w)
	if !proto.Equal(patch, before) {
		t.Errorf("the patch is now %v", patch)
	}
}

func TestSpecJSON(t *testing.T) {
	tests := []struct{ name, spec, patch, want string }{
		{"a field newer than the library", `{"x": 1}`, `{"workRef": {"name": "w", "size": 9007199254740993}}`, `{"x": 1, "workRef": {"name": "w", "size": 9007199254740993}}`},
		{"in both", `{"workRef": {"a": 1, "b": {"c": [1], "d": 1}}, "other": [{}]}`, `{"workRef": {"b": {"c": [2], "e": null, "d": null}}}`,
			`{"workRef": {"a": 1, "b": {"c": [2]}}, "other": [{}]}`},
		{"as lists in both", `{"news": [{"name": "a"}, 1]}`, `{"news": [{"name": "b"}]}`, `{"news": [{"name": "b"}]}`},
		{"below a known one", `{"containers": [{"name": "a", "news": {"x": [1], "y": 1}, "image": "i"}]}`, `{"containers": [{"name": "a", "news": {"x": [2]}}]}`,
			`{"containers": [{"name": "a", "news": {"x": [2], "y": 1}, "image": "i"}]}`},
		{"untouched numbers", `{"a": 1e400, "b": 0.10, "volumes": [{"name": "v", "n": 18446744073709551617}]}`, `{"volumes": [{"name": "v", "z": 1.0}]}`,
			`{"a": 1e400, "b": 0.10, "volumes": [{"name": "v", "n": 18446744073709551617, "z": 1.0}]}`},
		{"merged by name", `{"volumes": [{"name": "a", "hostPath": {"path": "/a"}}]}`, `{"volumes": [{"name": "b", "emptyDir": {}}]}`,
			`{"volumes": [{"name": "b", "emptyDir": {}}, {"name": "a", "hostPath": {"path": "/a"}}]}`},
		{"replaced", `{"tolerations": [{"key": "a"}], "hostNetwork": true}`, `{"tolerations": [{"key": "b"}], "hostNetwork": false}`,
			`{"tolerations": [{"key": "b"}], "hostNetwork": false}`},
		{"removed", `{"hostNetwork": true, "volumes": [{"name": "a"}, {"name": "b"}]}`, `{"hostNetwork": null, "volumes": [{"name": "a", "$patch": "delete"}]}`,
			`{"volumes": [{"name": "b"}]}`},
		{"nulls in the template", `{"containers": [{"name": "a", "env": null}], "volumes": null, "nodeSelector": null, "imagePullSecrets": [null]}`,
			`{"containers": [{"name": "a", "env": [{"name": "X"}]}], "volumes": [{"name": "v"}], "nodeSelector": {"a": "b"}}`,
			`{"containers": [{"name": "a", "env": [{"name": "X"}]}], "volumes": [{"name": "v"}], "nodeSelector": {"a": "b"}, "imagePullSecrets": [null]}`},
		{"lists of text stay as they are", `{"containers": [{"name": "a", "command": [null, "x"]}]}`, `{"containers": [{"name": "a", "image": "i"}]}`,
			`{"containers": [{"name": "a", "command": [null, "x"], "image": "i"}]}`},
		{"into nothing", `null`, `{"containers": [{"name": "a"}]}`, `{"containers": [{"name": "a"}]}`},
		{"another kind", `{"nodeSelector": "x"}`, `{"nodeSelector": {"a": "b"}}`, `{"nodeSelector": {"a": "b"}}`},
		{"odd kinds below a map of texts", `{"nodeSelector": {"a": {"b": 1}}}`, `{"nodeSelector": {"a": {"c": [2]}}}`, `{"nodeSelector": {"a": {"b": 1, "c": [2]}}}`},
		{"a list for an object", `{"affinity": [{"a": 1}]}`, `{"affinity": [{"b": 1}]}`, `{"affinity": [{"b": 1}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkPatched(t, `{"spec": `+tt.spec+`}`, &pluginpb.PodPatch{SpecJson: []byte(tt.patch)}, `{"spec": `+tt.want+`}`)
		})
	}
}

func TestPatchedErrors(t *testing.T) {
	const template, hints = "spec.taskRoles[worker].task.pod", "schedulerHints.patches[worker]"
	label := map[string]string{"a": "b"}
	tests := []struct {
		template string
		patch    *pluginpb.PodPatch
		want     string
	}{
		{`[]`, &pluginpb.PodPatch{}, template + ": must be an object, not a list"},
		{`{`, &pluginpb.PodPatch{}, template + ": unexpected EOF"},
		{`{"metadata": 1}`, &pluginpb.PodPatch{Labels: label}, template + ".metadata: must be an object, not a number"},
		{`{"metadata": {"labels": []}}`, &pluginpb.PodPatch{Labels: label}, template + ".metadata.labels: must be an object, not a list"},
		{`{"metadata": {"annotations": []}}`, &pluginpb.PodPatch{Annotations: label}, template + ".metadata.annotations: must be an object, not a list"},
		{`{"spec": []}`, &pluginpb.PodPatch{}, template + ".spec: must be an object, not a list"},
		{`{"spec": {"nodeSelector": "x"}}`, &pluginpb.PodPatch{NodeSelector: label}, template + ".spec.nodeSelector: must be an object, not a string"},
		{`{"spec": {"tolerations": "x"}}`, &pluginpb.PodPatch{TolerationsJson: []byte(`[{}]`)}, template + ".spec.tolerations: must be a list, not a string"},
		{`{"spec": {"schedulingGates": {}}}`, &pluginpb.PodPatch{SchedulingGates: []string{"x"}}, template + ".spec.schedulingGates: must be a list, not an object"},
		{`{"spec": {"containers": {}}}`, &pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{}}}, template + ".spec.containers: must be a list, not an object"},
		{`{"spec": {"containers": [1]}}`, &pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{}}}, template + ".spec.containers[0]: must be an object, not a number"},
		{`{"spec": {"containers": [{"env": 1}]}}`, &pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{EnvJson: []byte(`[{}]`)}}},
			template + ".spec.containers[0].env: must be a list, not a number"},
		{`{"spec": {"containers": [{"resources": {"limits": 1}}]}}`, &pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{Limits: label}}},
			template + ".spec.containers[0].resources.limits: must be an object, not a number"},
		{``, &pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{}}}, hints + ".containers[]: " + template + ".spec.containers is empty"},
		{`{"spec": {"containers": [{"name": "a"}], "initContainers": [{"name": "b"}]}}`, &pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{Name: "b"}}},
			hints + ".containers[b]: " + template + ".spec.containers has no container of that name"},
		{`{"spec": {"containers": [{}]}}`, &pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{{EnvJson: []byte(`{}`)}}}, hints + ".containers[].env_json: must be a list, not an object"},
		{``, &pluginpb.PodPatch{TolerationsJson: []byte(`{}`)}, hints + ".tolerations_json: must be a list, not an object"},
		{``, &pluginpb.PodPatch{TolerationsJson: []byte(`[`)}, hints + ".tolerations_json: unexpected EOF"},
		{``, &pluginpb.PodPatch{AffinityJson: []byte(`[]`)}, hints + ".affinity_json: must be an object, not a list"},
		{``, &pluginpb.PodPatch{AffinityJson: []byte(`{} {}`)}, hints + ".affinity_json: text after the JSON value"},
		{``, &pluginpb.PodPatch{SpecJson: []byte(`1`)}, hints + ".spec_json: must be an object, not a number"},
		{``, &pluginpb.PodPatch{SpecJson: []byte(`{"$retainKeys": [{}]}`)}, hints + ".spec_json: merging it into " + template + ".spec: a list contains null or another odd value"},
		{`{"spec": {"containers": [null]}}`, &pluginpb.PodPatch{SpecJson: []byte(`{"containers": [{"name": "a"}]}`)},
			hints + ".spec_json: merging it into " + template + ".spec: a list contains null or another odd value"},
		{``, &pluginpb.PodPatch{SpecJson: []byte(`{"$patch": "x"}`)}, hints + ".spec_json: merging it into " + template + ".spec: "},
		{`{"spec": {"containers": [{"name": "a"}]}}`, &pluginpb.PodPatch{SpecJson: []byte(`{"containers": ["x"]}`)}, hints + ".spec_json: merging it into " + template + ".spec: "},
		{many("volumes", `{"name": "a"}`, 4000), &pluginpb.PodPatch{SpecJson: []byte(`{"volumes": [{"name": "a"}]}`)},
			hints + ".spec_json: merging its lists with the lists of the spec would take 16004000 comparisons; it must be at most 10000000"},
	}
	for _, tt := range tests {
		_, err := objects.Patched("worker", []byte(tt.template), tt.patch)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s, %v:\ngot  %v\nwant %s", tt.template, tt.patch, err, tt.want)
		}
	}
}

// Only merged lists count, and lists within them by their own length.
func TestLongListsThatAreNotMerged(t *testing.T) {
	for _, patch := range []string{`{"volumes": [{"name": "v"}]}`, `{"containers": [{"name": "a", "args": ["x"]}]}`, `{"new": [1]}`} {
		template := `{"spec": {"x": [1` + strings.Repeat(",1", 10_000) + `], "new": [[1]], "containers": [{"name": "a", "env": [{}` + strings.Repeat(",{}", 10_000) + `]}]}}`
		if _, err := objects.Patched("worker", []byte(template), &pluginpb.PodPatch{SpecJson: []byte(patch)}); err != nil {
			t.Error(err)
		}
	}
}

// Each gate is listed once, however often it is given.
func TestManyGatesAndContainers(t *testing.T) {
	gates, containers := []string{"a", "a", "b"}, []*pluginpb.ContainerPatch{{Name: "x", Limits: map[string]string{"cpu": "1"}}, {Limits: map[string]string{"memory": "1"}}}
	got, err := objects.Patched("worker", []byte(`{"spec": {"schedulingGates": [{"name": "b"}, {"name": "c"}], "containers": [{}, {"name": "x"}, {"name": "x"}]}}`),
		&pluginpb.PodPatch{SchedulingGates: gates, Containers: containers})
	want := `{"metadata":{},"spec":{"containers":[{"resources":{"limits":{"memory":"1"}}},{"name":"x","resources":{"limits":{"cpu":"1"}}},{"name":"x"}],` +
		`"schedulingGates":[{"name":"b"},{"name":"c"},{"name":"a"}]}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestNoPatchLeavesTheTemplate(t *testing.T) {
	for _, template := range []string{"", "{", ` {"b":  1, "a": 2}`} {
		if got, err := objects.Patched("worker", []byte(template), nil); err != nil || string(got) != template {
			t.Errorf("%s: got %s, %v", template, got, err)
		}
	}
}

// Placeholders in a patch are replaced as in a template, and the fields that the controller sets itself win.
func TestPatchedPod(t *testing.T) {
	patch := &pluginpb.PodPatch{
		Labels:      map[string]string{"index": "{{FC_TASK_INDEX}}", "FC_TASK_INDEX": "9"},
		Annotations: map[string]string{"{{FC_TASKROLE_NAME}}": "x"},
		Containers:  []*pluginpb.ContainerPatch{{EnvJson: []byte(`[{"name": "GROUP", "value": "{{FC_FRAMEWORK_NAME}}"}]`)}},
		SpecJson:    []byte(`{"hostname": "h-{{FC_TASK_INDEX}}"}`),
	}
	body, err := objects.NewPatchedPodBuilder("worker", []byte(`{"spec": {"containers": [{"name": "a"}]}}`), patch).Build(demoTask)
	require.NoError(t, err)
	pod := parse(t, body)
	diff(t, at(pod, "metadata", "labels", "index"), "7")
	diff(t, at(pod, "metadata", "labels", "FC_TASK_INDEX"), "7")
	diff(t, at(pod, "metadata", "annotations", "worker"), "x")
	diff(t, at(pod, "spec", "hostname"), "h-7")
	env, _ := at(pod, "spec", "containers", 0, "env").([]any)
	diff(t, env[len(env)-1], map[string]any{"name": "GROUP", "value": "demo"})

	patch.Containers[0].Name = "b"
	if _, err := objects.NewPatchedPodBuilder("worker", nil, patch).Build(demoTask); err == nil || !strings.Contains(err.Error(), "containers[b]") {
		t.Errorf("got %v", err)
	}
}

// No template and no patch makes it panic, the outcome does not depend on chance, and it is JSON.
func TestPatchedOfAnything(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		random := func() []byte {
			text, err := json.Marshal(randomSpec(r, 4))
			require.NoError(t, err)
			return text
		}
		template := fmt.Appendf(nil, `{"spec": %s}`, random())
		patch := &pluginpb.PodPatch{SpecJson: random(), TolerationsJson: random(), Containers: []*pluginpb.ContainerPatch{{EnvJson: random()}}}
		if seed%2 == 0 {
			patch = &pluginpb.PodPatch{SpecJson: patch.GetSpecJson()}
		}
		first, err := objects.Patched("worker", template, patch)
		again, errAgain := objects.Patched("worker", template, patch)
		if (err == nil) != (errAgain == nil) || string(first) != string(again) {
			t.Fatalf("%s, %s:\n%s, %v\n%s, %v", template, patch.GetSpecJson(), first, err, again, errAgain)
		}
		if err == nil {
			parse(t, first)
		}
	}
}

var specKeys = []string{
	"containers", "name", "env", "ports", "containerPort", "volumes", "tolerations", "nodeSelector", "news", "affinity", "command",
	"$patch", "$retainKeys", "$setElementOrder/containers", "schedulingGates", "key",
}

func randomSpec(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case depth > 0 && n < 5:
		fields := map[string]any{}
		for range r.IntN(5) {
			fields[specKeys[r.IntN(len(specKeys))]] = randomSpec(r, depth-1)
		}
		return fields
	case depth > 0 && n < 8:
		list := []any{}
		for range r.IntN(3) {
			list = append(list, randomSpec(r, depth-1))
		}
		return list
	}
	return []any{nil, "a", "replace", "delete", 1, true}[r.IntN(6)]
}
