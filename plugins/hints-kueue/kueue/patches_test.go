package kueue

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/answers"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

// admittedWith returns the answer to the question about the Workload of a hint, once Kueue has admitted it so.
func admittedWith(t *testing.T, q *pluginpb.HintRequest, statuses ...string) *pluginpb.MayCreateResponse {
	t.Helper()
	may := &pluginpb.MayCreateRequest{Framework: q.Framework, Roles: q.Roles, Parameters: q.Parameters}
	for i, o := range hinted(t, q).GetObjects() {
		var tree map[string]any
		if err := json.Unmarshal(o.GetJson(), &tree); err != nil {
			t.Fatal(err)
		}
		var status map[string]any
		if err := json.Unmarshal([]byte(statuses[i]), &status); err != nil {
			t.Fatal(err)
		}
		status["conditions"] = []any{map[string]any{"type": "Admitted", "status": "True"}}
		tree["status"] = status
		text, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		may.Objects = append(may.Objects, text)
	}
	got, err := mayCreate(t.Context(), may)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := answers.CheckMayCreate(may, got); err != nil {
		t.Fatal(err)
	}
	return got
}

// rendered has one line for each patch: role, Tasks, and patched fields.
func rendered(t *testing.T, patches []*pluginpb.PodPatch) string {
	t.Helper()
	var out strings.Builder
	for _, p := range patches {
		i := p.Indices[0]
		fmt.Fprintf(&out, "%s %d-%d:", p.TaskRole, i.First, i.Last)
		p.TaskRole, p.Indices = "", nil
		fmt.Fprintf(&out, " %v %v %v %s%v\n", p.NodeSelector, p.Labels, p.Annotations, p.TolerationsJson, p.SchedulingGates)
		p.NodeSelector, p.Labels, p.Annotations, p.TolerationsJson, p.SchedulingGates = nil, nil, nil, nil, nil
		if rest := protojson.Format(p); rest != "{}" {
			t.Errorf("and %s", rest)
		}
	}
	return strings.TrimSpace(out.String())
}

func TestPatches(t *testing.T) {
	flavors := map[string]any{"queue": "q", "flavors": map[string]any{
		"plain": map[string]any{},
		"a100": map[string]any{"nodeSelector": map[string]any{"gpu": "a100"},
			"tolerations": []any{map[string]any{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}}},
	}}
	rack := &pluginpb.Scheduling{Topology: []*pluginpb.Topology{{Key: "rack", Required: true, TaskRole: "worker"}}}
	three := &pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: 3}}
	partial := map[string]any{"queue": "q", "partialAdmission": true}
	admission := func(assignments string) string {
		return `{"admission": {"clusterQueue": "c", "podSetAssignments": [` + assignments + `]}}`
	}
	tests := []struct {
		name       string
		parameters map[string]any
		scheduling *pluginpb.Scheduling
		status     string
		want       string // the patches, or why not
	}{
		{"nothing said", research, nil, admission(`{"name": "chief", "flavors": {"cpu": "x"}, "count": 1}, {"name": "worker", "flavors": {"cpu": "x"}, "count": 4}`), ""},
		{"flavors", flavors, nil, admission(`{"name": "chief", "flavors": {"cpu": "plain"}}, {"name": "worker", "flavors": {"cpu": "a100", "nvidia.com/gpu": "a100"}}`),
			`worker 0-3: map[gpu:a100] map[] map[] [{"key":"gpu","operator":"Exists","effect":"NoSchedule"}][]`},
		{"a flavor that is not described", flavors, nil, admission(`{"name": "worker", "flavors": {"cpu": "spot"}}`),
			"flavor spot is assigned, and the parameter flavors does not have it: have it put there, as {} if its nodes take nothing"},
		{"admission checks", research, nil, `{"admission": {"podSetAssignments": [{"name": "chief"}, {"name": "worker"}]}, "admissionChecks": [
			{"name": "p", "state": "Ready", "podSetUpdates": [{"name": "worker", "labels": {"l": "1"}, "annotations": {"a": "1"}, "nodeSelector": {"n": "1"}, "tolerations": [{"key": "t", "operator": "Exists"}]}]},
			{"name": "q", "state": "Pending", "podSetUpdates": [{"name": "chief", "labels": {"l": "2"}}]}]}`,
			`worker 0-3: map[n:1] map[l:1] map[a:1] [{"key":"t","operator":"Exists"}][]`},
		{"topology", research, rack, admission(`{"name": "chief"}, {"name": "worker", "topologyAssignment": {"levels": ["block", "rack"], "slices": [
			{"domainCount": 1, "valuesPerLevel": [{"universal": "b1"}, {"universal": "r1"}], "podCounts": {"universal": 1}},
			{"domainCount": 2, "valuesPerLevel": [{"universal": "b2"}, {"individual": {"prefix": "r", "suffix": "x", "roots": ["2", "3"]}}], "podCounts": {"individual": [2, 1]}}]}}`),
			"worker 0-0: map[block:b1 rack:r1] map[] map[kueue.x-k8s.io/podset-required-topology:rack] []\n" +
				"worker 1-2: map[block:b2 rack:r2x] map[] map[kueue.x-k8s.io/podset-required-topology:rack] []\n" +
				"worker 3-3: map[block:b2 rack:r3x] map[] map[kueue.x-k8s.io/podset-required-topology:rack] []"},
		{"topology that nobody asked for, and fewer domains than Tasks", research, nil, admission(`{"name": "worker", "topologyAssignment": {"levels": ["h"], "slices": [
			{"domainCount": 1, "valuesPerLevel": [{"universal": "n"}], "podCounts": {"universal": 3}}]}}`),
			"worker 0-2: map[h:n] map[] map[kueue.x-k8s.io/podset-unconstrained-topology:true] []"},
		{"fewer than asked for", partial, three, admission(`{"name": "chief"}, {"name": "worker", "count": 3}`),
			"worker 3-3: map[] map[] map[] [frameworkcontroller.microsoft.com/no-quota]"},
		{"of a pod set that is gone", research, nil, admission(`{"name": "other", "topologyAssignment": {"levels": ["h"]}}`), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := admittedWith(t, hintstory.Training(t, 4, test.parameters, test.scheduling), test.status)
			if !got.GetYes() {
				if got.GetReason() != test.want {
					t.Errorf("no: %q, want %q", got.GetReason(), test.want)
				}
				return
			}
			if text := rendered(t, got.GetPatches()); text != test.want {
				t.Errorf("got\n%s\nwant\n%s", text, test.want)
			}
		})
	}
}

// Added Tasks get the assignment of their own Workload.
func TestPatchesOfAddedTasks(t *testing.T) {
	parameters := map[string]any{"queue": "q", "flavors": map[string]any{
		"a": map[string]any{"nodeSelector": map[string]any{"pool": "a"}}, "b": map[string]any{"nodeSelector": map[string]any{"pool": "b"}}}}
	q := hintstory.Training(t, 4, parameters, nil)
	q.Previous = hinted(t, q)
	q.Roles[1].TaskNumber = 6
	in := func(flavor string) string {
		return `{"admission": {"podSetAssignments": [{"name": "worker", "flavors": {"cpu": "` + flavor + `"}}]}}`
	}
	got := admittedWith(t, q, in("a"), in("b"))
	const want = "worker 0-3: map[pool:a] map[] map[] []\nworker 4-5: map[pool:b] map[] map[] []"
	if text := rendered(t, got.GetPatches()); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// Roles that share a pod set take its domains one after the other.
func TestPatchesOfMergedRoles(t *testing.T) {
	q := hintstory.Training(t, 1, map[string]any{"queue": "q", "maxPodSets": 3}, nil)
	for _, name := range []string{"x", "y"} {
		q.Roles = append(q.Roles, &pluginpb.RoleShape{Name: name, TaskNumber: 2, Requests: map[string]string{"cpu": "1"}})
	}
	got := admittedWith(t, q, `{"admission": {"podSetAssignments": [{"name": "x", "topologyAssignment": {"levels": ["h"], "slices": [
		{"domainCount": 2, "valuesPerLevel": [{"individual": {"roots": ["n1", "n2"]}}], "podCounts": {"individual": [3, 1]}}]}}]}}`)
	const note = " map[] map[kueue.x-k8s.io/podset-unconstrained-topology:true] []"
	const want = "x 0-1: map[h:n1]" + note + "\ny 0-0: map[h:n1]" + note + "\ny 1-1: map[h:n2]" + note
	if text := rendered(t, got.GetPatches()); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// An admission that cannot be stored is not reported as fine.
func TestTooManyDomains(t *testing.T) {
	roots := make([]string, 2000)
	for i := range roots {
		roots[i] = fmt.Sprintf("%q", fmt.Sprintf("node-%d", i))
	}
	got := admittedWith(t, hintstory.Training(t, 2000, research, nil), `{"admission": {"podSetAssignments": [{"name": "worker", "topologyAssignment": {"levels": ["h"], "slices": [
		{"domainCount": 2000, "valuesPerLevel": [{"individual": {"roots": [`+strings.Join(roots, ",")+`]}}], "podCounts": {"universal": 1}}]}}]}}`)
	if got.GetYes() || !strings.HasSuffix(got.GetReason(), coarser) {
		t.Error(got.GetReason())
	}
}

// A Framework may have changed its parameters to something that cannot be read.
func TestUnreadableParameters(t *testing.T) {
	q := hintstory.Training(t, 1, research, nil)
	text := hinted(t, q).GetObjects()[0].GetJson()
	admitted := strings.TrimSuffix(string(text), "}") + `,"status":{"conditions":[{"type":"Admitted","status":"True"}]}}`
	got, err := mayCreate(t.Context(), &pluginpb.MayCreateRequest{Objects: [][]byte{[]byte(admitted)},
		Parameters: plugintest.Parameters(t, map[string]any{"flavours": map[string]any{}})})
	if err != nil || got.GetYes() || !strings.Contains(got.GetReason(), "flavours") {
		t.Errorf("%v, %v", got, err)
	}
}
