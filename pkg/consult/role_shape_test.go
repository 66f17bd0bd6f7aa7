package consult_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

func roleOf(template string) *v1.TaskRoleSpec {
	return &v1.TaskRoleSpec{Name: "w", TaskNumber: 1, Task: v1.TaskSpec{Pod: v1.PodTemplate(template)}}
}

// limitOf is a template whose container has that limit.
func limitOf(cpu string) string {
	return `{"spec":{"containers":[{"name":"m","image":"i","resources":{"limits":{"cpu":` + cpu + `}}}]}}`
}

// The time to parse a quantity is bounded before it is parsed: parsing these few bytes would take time in proportion to the exponent.
func TestLargeExponents(t *testing.T) {
	const exponent = "1e-10000000"
	for name, template := range map[string]string{
		"text":       limitOf(`"` + exponent + `"`),
		"number":     limitOf(exponent),
		"positive":   limitOf(`"1e10000000"`),
		"two of one": `{"spec":{"containers":[{"resources":{"limits":{"cpu":"` + exponent + `"}}}],"containers":[{"resources":{"limits":{"cpu":"1"}}}]}}`,
		"overhead":   `{"spec":{"overhead":{"cpu":"` + exponent + `"}}}`,
		"of the Pod": `{"spec":{"resources":{"requests":{"cpu":"` + exponent + `"}}}}`,
		"init":       `{"spec":{"initContainers":[{"resources":{"requests":{"cpu":"` + exponent + `"}}}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			taken := allocated(func() { _, err = consult.RoleShape(roleOf(template)) })
			if taken > 1<<20 {
				t.Errorf("it takes %d bytes", taken)
			}
			if name != "two of one" && (!errors.Is(err, consult.ErrBadTemplate) || !strings.Contains(err.Error(), "role w: spec.") ||
				!strings.Contains(err.Error(), "must be between -30 and 30")) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Three bytes are enough for a container, which takes a thousand bytes in the library's form.
func TestShapeOfManyThings(t *testing.T) {
	const many = 100_000
	for _, field := range []string{"containers", "initContainers", "volumes", "tolerations", "ephemeralContainers", "topologySpreadConstraints"} {
		template := `{"spec":{"` + field + `":[{}` + strings.Repeat(",{}", many-1) + `]}}`
		if taken := allocated(func() { _, _ = consult.RoleShape(roleOf(template)) }); taken > 100*uint64(len(template)) {
			t.Errorf("%s: %d bytes for a template of %d", field, taken, len(template))
		}
	}
}

// allocated returns how many bytes a function allocates, including bytes freed meanwhile.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func jsonOf(t *testing.T, v any) []byte {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

// naiveShape is the shape from the whole template, decoded as the API server does.
func naiveShape(t *testing.T, role *v1.TaskRoleSpec) *pluginpb.RoleShape {
	t.Helper()
	whole, err := role.Task.Pod.Decode()
	require.NoError(t, err)
	out := &pluginpb.RoleShape{Name: role.Name, TaskNumber: role.TaskNumber, TemplateLabels: whole.Labels, TemplateAnnotations: whole.Annotations,
		NodeSelector: whole.Spec.NodeSelector, PriorityClassName: whole.Spec.PriorityClassName, SchedulerName: whole.Spec.SchedulerName,
		TolerationsJson: jsonOf(t, whole.Spec.Tolerations), AffinityJson: jsonOf(t, whole.Spec.Affinity)}
	for _, c := range whole.Spec.Containers {
		out.ContainerNames = append(out.ContainerNames, c.Name)
	}
	return out
}

const richTemplate = `{"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}},"spec":{"hostname":"h","unknown":{"x":[1]},
	"containers":[{"name":"one","image":"i","env":[{"name":"A","value":"1"}],"resources":{"requests":{"cpu":"100m"},"limits":{"cpu":"1","memory":"1Gi"}}},
		{"name":"two","resources":{"limits":{"nvidia.com/gpu":8}}}],
	"initContainers":[{"name":"side","restartPolicy":"Always","resources":{"requests":{"cpu":0.5}}},{"name":"init","resources":{"requests":{"memory":"4Gi"}}}],
	"overhead":{"cpu":"10m"},"nodeSelector":{"e":"f"},"priorityClassName":"high","schedulerName":"s",
	"tolerations":[{"key":"k","operator":"Exists","tolerationSeconds":5}],
	"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"z","operator":"In","values":["1"]}]}]}}}}}`

// The partial reading of a template gives the same shape as a complete one.
func TestShapeOfATemplate(t *testing.T) {
	role := roleOf(richTemplate)
	got, err := consult.RoleShape(role)
	require.NoError(t, err)
	want := naiveShape(t, role)
	want.Requests = map[string]string{"cpu": "610m", "memory": "4Gi", "nvidia.com/gpu": "8"}
	want.Limits = map[string]string{"cpu": "1010m", "memory": "1Gi", "nvidia.com/gpu": "8"}
	if !proto.Equal(got, want) {
		t.Errorf("\n got %v\nwant %v", got, want)
	}
}

// Resources of the Pod as a whole count for it, as they do for the scheduler.
func TestShapeOfAPodWithResources(t *testing.T) {
	got, err := consult.RoleShape(roleOf(`{"spec":{"resources":{"requests":{"cpu":"3"},"limits":{"cpu":"4"}},"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}}`))
	if err != nil || got.Requests["cpu"] != "3" || got.Limits["cpu"] != "4" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestBadTemplates(t *testing.T) {
	for _, template := range []string{`{"spec":{"containers":{}}}`, `{"metadata":{"labels":{"a":5}}}`, `[]`, limitOf(`"x"`), limitOf(`true`), limitOf(`{}`)} {
		if got, err := consult.RoleShape(roleOf(template)); !errors.Is(err, consult.ErrBadTemplate) || !strings.Contains(err.Error(), "role w") {
			t.Errorf("%s: got %v, %v", template, got, err)
		}
	}
	for _, template := range []string{``, `{}`, `null`, `{"spec":null}`, `{"spec":{"tolerations":[],"affinity":null}}`, limitOf(`null`)} {
		if got, err := consult.RoleShape(roleOf(template)); err != nil || got.TolerationsJson != nil || got.AffinityJson != nil {
			t.Errorf("%s: got %v, %v", template, got, err)
		}
	}
}

// FuzzShape: a template that cannot be read gives ErrBadTemplate. The amounts of any other are bounded by its length, and its shape is
// valid JSON.
func FuzzShape(f *testing.F) {
	for _, seed := range []string{`"1e-2000000000"`, `1e2000000000`, `"` + strings.Repeat("9", 100) + `"`, `"1Gi"`, `null`, `{}`, `"1e-30"`, `"\u0031e-99"`} {
		f.Add([]byte(limitOf(seed)))
		f.Add([]byte(`{"spec":{"overhead":{"cpu":` + seed + `},"resources":{"limits":{"cpu":` + seed + `}}}}`))
	}
	f.Add([]byte(richTemplate))
	f.Add([]byte(`{"spec":` + strings.Repeat(`{"affinity":`, 9000) + `1` + strings.Repeat(`}`, 9000) + `}`))
	f.Fuzz(func(t *testing.T, template []byte) {
		got, err := consult.RoleShape(roleOf(string(template)))
		if err != nil {
			if !errors.Is(err, consult.ErrBadTemplate) {
				t.Errorf("got %v", err)
			}
			return
		}
		for _, amounts := range []map[string]string{got.Requests, got.Limits} {
			for name, amount := range amounts {
				if len(amount) > 4*quantity.MaxLength+len(template) {
					t.Errorf("%s: an amount of %d characters", name, len(amount))
				}
			}
		}
		if _, err := json.Marshal(got); err != nil {
			t.Error(err)
		}
	})
}

// TestTemplatesAreNotDecodedWhole: only tests call PodTemplate.Decode. Its cost is in the hands of the template's author.
func TestTemplatesAreNotDecodedWhole(t *testing.T) {
	for _, root := range []string{"../../pkg", "../../cmd", "../../plugins"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				err = decodesNothing(path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func decodesNothing(path string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) > 0 {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Decode" {
			err = fmt.Errorf("%s: a template is decoded whole", files.Position(call.Pos()))
		}
		return true
	})
	return err
}
