package answers

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func object(kind, name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"scheduling.x-k8s.io/v1alpha1","kind":%q,"metadata":{"name":%q}}`, kind, name)
}

func TestHints(t *testing.T) {
	q := &pluginpb.HintRequest{Framework: &pluginpb.Framework{Namespace: "n", AttemptId: 1},
		Roles: []*pluginpb.RoleShape{{Name: "a", ContainerNames: []string{"main"}}, {Name: "b"}}}
	patch := func(p *pluginpb.PodPatch) *pluginpb.HintResponse {
		p.TaskRole = "a"
		return &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{p}}
	}
	container := func(c *pluginpb.ContainerPatch) *pluginpb.HintResponse {
		return patch(&pluginpb.PodPatch{Containers: []*pluginpb.ContainerPatch{c}})
	}
	objects := func(texts ...[]byte) *pluginpb.HintResponse {
		a := &pluginpb.HintResponse{}
		for _, text := range texts {
			a.Objects = append(a.Objects, &pluginpb.Object{Json: text})
		}
		return a
	}
	one := map[string]string{"k": "v"}
	tests := []struct {
		name   string
		answer *pluginpb.HintResponse
		want   string
	}{
		{"none", &pluginpb.HintResponse{}, ""},
		{"refusal with anything else", &pluginpb.HintResponse{Refusal: "no", Objects: []*pluginpb.Object{{}}}, ""},
		{"all", patch(&pluginpb.PodPatch{Labels: one, Annotations: map[string]string{"Scheduler.example/spec": "a: b\n"}, NodeSelector: one,
			SchedulerName: "s", PriorityClassName: "p", SchedulingGates: []string{"example.com/g"},
			TolerationsJson: []byte(`[{"key":"k","newer":1}]`), AffinityJson: []byte(`{"nodeAffinity":{}}`), SpecJson: []byte(`{"workloadRef":{"name":"w"}}`),
			Containers: []*pluginpb.ContainerPatch{{EnvJson: []byte(`[{"name":"E","value":"v"}]`), Limits: map[string]string{"example.com/x": "1"}}}}), ""},
		{"placeholders", patch(&pluginpb.PodPatch{Labels: map[string]string{"k": "{{FC_TASK_INDEX}}"}}), ""},
		{"unknown role", &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "c"}}}, `no role "c"`},
		{"two patches", &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "a"}, {TaskRole: "b"}, {TaskRole: "a"}}}, "more than one patch"},
		{"reserved label", patch(&pluginpb.PodPatch{Labels: map[string]string{"FC_TASKROLE_NAME": "x"}}), "label FC_TASKROLE_NAME is set by the controller"},
		{"reserved annotation", patch(&pluginpb.PodPatch{Annotations: map[string]string{"FC_TASK_UID": "x"}}), "annotation FC_TASK_UID is set"},
		{"bad label", patch(&pluginpb.PodPatch{Labels: map[string]string{"k": "a b"}}), "label k:"},
		{"bad key", patch(&pluginpb.PodPatch{NodeSelector: map[string]string{"a b": ""}}), `node selector "a b"`},
		{"bad annotation", patch(&pluginpb.PodPatch{Annotations: map[string]string{"a b": ""}}), `annotation "a b"`},
		{"bad tolerations", patch(&pluginpb.PodPatch{TolerationsJson: []byte(`{}`)}), "tolerations_json"},
		{"bad affinity", patch(&pluginpb.PodPatch{AffinityJson: []byte(`x`)}), "affinity_json"},
		{"bad spec", patch(&pluginpb.PodPatch{SpecJson: []byte(`null`)}), "not an object"},
		{"reserved env in spec", patch(&pluginpb.PodPatch{SpecJson: []byte(`{"initContainers":[{"name":"c","env":[{"name":"FC_POD_UID"}]}]}`)}), "FC_POD_UID is set"},
		{"gate twice", patch(&pluginpb.PodPatch{SchedulingGates: []string{"g", "g"}}), "twice"},
		{"unknown container", container(&pluginpb.ContainerPatch{Name: "x"}), `no container "x"`},
		{"reserved env", container(&pluginpb.ContainerPatch{Name: "main", EnvJson: []byte(`[{"name":"FC_TASK_INDEX"}]`)}), "FC_TASK_INDEX is set"},
		{"nameless env", container(&pluginpb.ContainerPatch{EnvJson: []byte(`[{}]`)}), "has no name"},
		{"bad quantity", container(&pluginpb.ContainerPatch{Requests: map[string]string{"cpu": "much"}}), "is not a quantity"},
		{"negative", container(&pluginpb.ContainerPatch{Limits: map[string]string{"cpu": "-1"}}), "negative"},
		{"a large exponent", container(&pluginpb.ContainerPatch{Limits: map[string]string{"cpu": "1e-2000000000"}}), "between -30 and 30"},
		{"object", objects(object("PodGroup", "f-1-pg")), ""},
		{"without attempt id", objects(object("PodGroup", "f-11-pg")), "does not contain the attempt id 1"},
		{"without name", objects(object("PodGroup", "")), "no fixed metadata.name"},
		{"without kind", objects(object("", "f-1")), "no apiVersion or no kind"},
		{"long kind", objects(object(strings.Repeat("K", 64), "f-1")), "is not a valid kind"},
		{"twice", objects(object("A", "f-1"), object("B", "f-1"), object("A", "f-1")), "object 2"},
		{"other namespace", objects([]byte(`{"apiVersion":"v1","kind":"A","metadata":{"name":"f-1","namespace":"m"}}`)), `namespace "m"`},
		{"own owner", objects([]byte(`{"apiVersion":"v1","kind":"A","metadata":{"name":"f-1","ownerReferences":[{}]}}`)), "ownerReferences"},
		{"no object", objects([]byte(`[]`)), "not a JSON object"},
		{"a status", &pluginpb.HintResponse{Objects: []*pluginpb.Object{{Json: object("A", "f-1"), StatusJson: []byte(`{"a":1}`)}}}, ""},
		{"an odd status", &pluginpb.HintResponse{Objects: []*pluginpb.Object{{Json: object("A", "f-1"), StatusJson: []byte(`[]`)}}}, "object 0: status_json is not a JSON object"},
		{"no JSON", objects([]byte(`{`)), "JSON"},
		{"bad name", objects(object("A", "F_1")), "name"},
		{"too large", patch(&pluginpb.PodPatch{Annotations: map[string]string{"k": strings.Repeat("x", maxHints)}}), "at most 65536"},
	}
	warnings := append([]string{"", strings.Repeat("w", maxWarning+1)}, make([]string, 20)...)
	for i := range 10 {
		warnings = append(warnings, fmt.Sprint(i))
	}
	kept, err := CheckHints(q, &pluginpb.HintResponse{Wait: true, Warnings: warnings})
	if w := kept.GetWarnings(); err != nil || len(w) != maxWarnings || len(w[0]) > maxWarning || w[7] != "6" {
		t.Errorf("of the warnings, it keeps %q, %v", w, err)
	}
	alone, err := CheckHints(q, &pluginpb.HintResponse{Warnings: []string{"", "a gang is not ours"}, FollowTasks: true})
	if want := (&pluginpb.HintResponse{Warnings: []string{"a gang is not ours"}}); err != nil || !proto.Equal(alone, want) {
		t.Errorf("of warnings alone, it keeps %v, %v", alone, err)
	}
	if none, err := CheckHints(q, &pluginpb.HintResponse{Warnings: []string{""}}); none != nil || err != nil {
		t.Errorf("of an empty warning, it keeps %v, %v", none, err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { _, err := CheckHints(q, tt.answer); wantProblem(t, err, tt.want) })
	}
}
