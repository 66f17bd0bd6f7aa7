package objects_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

// FuzzBuild: for any bytes as a template, Build does the same as the naive twin, and both or neither fail, with names and keys and without;
// the size is known before the Pod is built. Beyond that, Build refuses exactly the Pods that would be too large, or slow to parse for the
// API server.
func FuzzBuild(f *testing.F) {
	for _, role := range recordedFramework(f).Spec.TaskRoles {
		f.Add([]byte(role.Task.Pod), role.Name, int32(0))
	}
	f.Add([]byte(benchmarkTemplate), "demo", int32(9999))
	f.Add([]byte(strings.Replace(benchmarkTemplate, `"app"`, tokenInKey, 1)), "x", int32(1))
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `0`, `{"metadata":null,"spec":null}`, `{"metadata":"x"}`, `{"spec":[]}`,
		`{"spec":{"containers":[null,"x",{}]}}`, `{"spec":{"containers":{}}}`, `{"spec":{"containers":[{"env":[null]}]}}`,
		`{"metadata":{"labels":{"{{FC_TASK_INDEX}}":1,"0":2},"resourceVersion":"1"}}`,
		`{"spec":{"a":"{{{FC_POD_NAME}}}","b":1e400,"c":"\ud800\u0000<&>","a":"\u007b{FC_TASK_INDEX}}"}}`,
		`{"{{FC_TASKROLE_NAME}}":{"{{FC_TASKROLE_NAME}}":[{}]},"spec":{"containers":[{"terminationMessagePolicy":""}]}}`,
	} {
		f.Add([]byte(seed), "spec", int32(0))
	}
	for _, seed := range adversaries() {
		f.Add([]byte(seed), "e2000000000", int32(9999))
		f.Add([]byte(seed), "e2000000000", int32(9998))
	}
	f.Fuzz(func(t *testing.T, template []byte, role string, index int32) {
		compareWithTwin(t, template, taskOf(role, index), specFor(role, index))
	})
}

// taskOf keeps letters only: the twin does not escape names.
func taskOf(role string, index int32) objects.Task {
	task := demoTask
	task.Index = index
	task.RoleName = strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return 'x'
		}
		return r
	}, role) + "s"
	return task
}

// specFor asks for names and keys for Tasks with odd numbers, in a Framework whose second role is taskOf's.
func specFor(role string, index int32) *v1.FrameworkSpec {
	if index%2 == 0 {
		return &v1.FrameworkSpec{}
	}
	return &v1.FrameworkSpec{
		Network:   &v1.NetworkSpec{DNS: true},
		SSH:       &v1.SSHSpec{MountPath: "/root/.ssh"},
		TaskRoles: []v1.TaskRoleSpec{{Name: "0", TaskNumber: 3}, {Name: taskOf(role, 0).RoleName, TaskNumber: 20}},
	}
}

func compareWithTwin(t *testing.T, template []byte, task objects.Task, spec *v1.FrameworkSpec) {
	t.Helper()
	want, wantErr := naivePod(template, task, spec)
	builder := builderOf(task.RoleName, template, spec)
	got, err := builder.Build(task)
	if size, sizeErr := builder.Size(task); size != len(got) && err == nil || (sizeErr == nil) != (err == nil) {
		t.Fatalf("%.1000s: %d bytes are said to be %d, %v", template, len(got), size, sizeErr)
	}
	if err != nil && wantErr == nil && mayBeRefused(t, want) {
		return
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%.1000s: got error %v, want %v", template, err, wantErr)
	}
	if err != nil {
		return
	}
	if len(got) > objects.MaxPodBytes {
		t.Fatalf("%.1000s: a Pod of %d bytes", template, len(got))
	}
	if !json.Valid(got) {
		t.Fatalf("not JSON: %s", got)
	}
	diff(t, parse(t, got), want)
}

// builderOf makes a builder as a controller does.
func builderOf(role string, template []byte, spec *v1.FrameworkSpec) *objects.PodBuilder {
	with := objects.Additions{Network: objects.NetworkOf(spec), Volumes: objects.VolumesOf(spec, role)}
	if spec.SSH != nil {
		with.KeysAt = spec.SSH.MountPath
	}
	return objects.NewPodBuilderWith(role, template, with)
}

// adversaries are templates meant to keep others from their work.
func adversaries() []string {
	deep := func(before, after string, n int) string {
		return strings.Repeat(before, n) + "1" + strings.Repeat(after, n)
	}
	out := []string{
		many("containers", "{}", 3000), many("initContainers", "{}", 10_000), many("x", "{{", 10_000), many("x", `"{{FC_POD_NAME}}"`, 30_000),
		many("volumes", `{"emptyDir":{"sizeLimit":"1e-31"}}`, 10), many("containers", `{"env":[{}]}`, 10),
		`{"spec":{"{{FC_TASK_INDEX}}":` + deep("[", "]", 9000) + `}}`, `{"spec":` + deep(`{"containers":[`, "]}", 1000) + `}`,
		`{"spec":{"containers":[{"resources":{"limits":{"cpu":"1{{FC_TASKROLE_NAME}}"}}}],"x":` + strings.Repeat("9", 100_000) + `}}`,
		`{"spec":{"x":1e-2000000000,"y":"` + strings.Repeat("{", 10_000) + `"}}`,
	}
	for spec := range quantityPlaces {
		out = append(out, fmt.Sprintf(`{"spec":`+spec+`}`, `"1e-2000000000"`))
	}
	return out
}

// mayBeRefused reports whether a Pod is too large, or its spec has a text that may be a slow quantity.
func mayBeRefused(t *testing.T, pod map[string]any) bool {
	t.Helper()
	text, err := json.Marshal(pod)
	require.NoError(t, err)
	return len(text) > objects.MaxPodBytes || hasLargeQuantity(pod["spec"])
}

func hasLargeQuantity(tree any) bool {
	switch v := tree.(type) {
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasLargeQuantity)
	case []any:
		return slices.ContainsFunc(v, hasLargeQuantity)
	case string:
		return quantity.Check(v) != nil
	case json.Number:
		return quantity.Check(v.String()) != nil
	}
	return false
}

// Random trees of the fields that matter, in all the wrong places too.
func TestBuildEqualsTwin(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 0))
		template, err := json.Marshal(randomValue(r, 4))
		require.NoError(t, err)
		role, index := []string{"container", "worker", "label"}[r.IntN(3)], int32(r.IntN(3))
		compareWithTwin(t, template, taskOf(role, index), specFor(role, index))
	}
}

// Everything in a template without tokens is kept, apart from the fields that the contract sets.
func TestTemplateSurvives(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		fields := map[string]any{}
		for i := range 5 {
			fields[fmt.Sprintf("field%d", i)] = randomPlain(r, 5)
		}
		text := indent(t, fields)
		pod := build(t, `{"metadata": {"x": `+text+`}, "spec": {"x": `+text+`, "containers": [{"x": `+text+`}]}}`)
		for _, path := range [][]any{{"metadata", "x"}, {"spec", "x"}, {"spec", "containers", 0, "x"}} {
			diff(t, at(pod, path...), fields)
		}
	}
}

var (
	wantedKeys = []string{
		"metadata", "spec", "labels", "annotations", "ownerReferences", "containers", "initContainers", "env",
		"terminationMessagePolicy", "resourceVersion", "name", "FC_TASK_INDEX", "hostname", "subdomain", "volumes", "volumeMounts", "mountPath", "{{FC_TASKROLE_NAME}}", "l-{{FC_TASK_INDEX}}", "l-0",
	}
	plainTexts = []string{"", "x", "fc-ssh", "/root/.ssh", "{{FC_TASK_UID}}", "<\"&\\é\x00>"}
	tokenTexts = []string{"{{FC_POD_NAME}}", "a{{{FC_TASK_INDEX}}}"}
)

// randomValue prefers objects and lists that look like a template.
func randomValue(r *rand.Rand, depth int) any {
	if depth > 0 && r.IntN(8) > 0 {
		return randomTemplatePart(r, depth)
	}
	if r.IntN(3) == 0 {
		return tokenTexts[r.IntN(len(tokenTexts))]
	}
	return randomScalar(r)
}

func randomTemplatePart(r *rand.Rand, depth int) any {
	fields := map[string]any{}
	for range 1 + r.IntN(6) {
		key := wantedKeys[r.IntN(len(wantedKeys))]
		fields[key] = randomValue(r, depth-1)
		if strings.HasSuffix(key, "ontainers") || strings.HasPrefix(key, "volume") || key == "env" || key == "ownerReferences" {
			fields[key] = []any{randomValue(r, depth-1)}
		}
	}
	return fields
}

func randomPlain(r *rand.Rand, depth int) any {
	if depth == 0 || r.IntN(3) == 0 {
		return randomScalar(r)
	}
	if r.IntN(2) == 0 {
		return []any{randomPlain(r, depth-1), randomPlain(r, depth-1)}
	}
	return map[string]any{"<&>": randomPlain(r, depth-1), "b": randomPlain(r, depth-1)}
}

func randomScalar(r *rand.Rand) any {
	switch r.IntN(6) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return json.Number(fmt.Sprint(r.Int64()))
	case 3:
		return json.Number(fmt.Sprintf("%d.%d0e%d", r.IntN(10), r.IntN(100), r.IntN(900)))
	}
	return plainTexts[r.IntN(len(plainTexts))]
}
