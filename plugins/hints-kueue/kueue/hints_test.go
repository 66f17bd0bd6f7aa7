package kueue

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

var research = map[string]any{"queue": "research"}

func hinted(t *testing.T, q *pluginpb.HintRequest) *pluginpb.HintResponse {
	t.Helper()
	return hintstory.Answer(t, New().SchedulerHints.Hint, q)
}

func TestHint(t *testing.T) {
	q := hintstory.Training(t, 4, research, nil)
	worker := q.Roles[1]
	worker.NodeSelector = map[string]string{"pool": "a"}
	worker.TolerationsJson, worker.AffinityJson = []byte(`[{"key":"gpu"}]`), []byte(`{"nodeAffinity":{}}`)
	worker.ResourceClaimsJson = []byte(`[{"name":"gpu"}]`)
	got := hinted(t, q)
	want := &pluginpb.HintResponse{
		Wait: true, Watch: true, FollowTasks: true, FollowStart: true,
		Objects: []*pluginpb.Object{{OnUpdate: pluginpb.Object_KEEP, Json: []byte(
			`{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"train-2","annotations":{"frameworkcontroller.microsoft.com/tasks":` +
				`"[{\"role\":\"chief\",\"podSet\":\"chief\",\"first\":0,\"last\":0},{\"role\":\"worker\",\"podSet\":\"worker\",\"first\":0,\"last\":3}]"}},` +
				`"spec":{"active":true,"queueName":"research","podSets":[` +
				`{"name":"chief","count":1,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"all","image":"none","resources":{"requests":{"cpu":"500m"}}}]}}},` +
				`{"name":"worker","count":4,"template":{"spec":{"restartPolicy":"Never","nodeSelector":{"pool":"a"},"tolerations":[{"key":"gpu"}],` +
				`"affinity":{"nodeAffinity":{}},"resourceClaims":[{"name":"gpu"}],"containers":[{"name":"all","image":"none","resources":{"requests":{"cpu":"2","nvidia.com/gpu":"8"}}}]}}}]}}`)}},
	}
	if !proto.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// outline renders the requests of a Workload, without its templates.
func outline(t *testing.T, object *pluginpb.Object) string {
	t.Helper()
	w, err := workloadIn(object.GetJson())
	if err != nil {
		t.Fatal(err)
	}
	out := w.Metadata.Name + " in " + w.Spec.QueueName
	if w.Spec.Priority != nil {
		out += fmt.Sprintf(", %s %s %d", w.Spec.PriorityClassRef.Kind, w.Spec.PriorityClassRef.Name, *w.Spec.Priority)
	}
	for _, set := range w.Spec.PodSets {
		out += fmt.Sprintf(", %s %d", set.Name, set.Count)
		if set.MinCount != nil {
			out += fmt.Sprintf(" (%d)", *set.MinCount)
		}
		if set.TopologyRequest != nil {
			text, _ := json.Marshal(set.TopologyRequest)
			out += " " + string(text)
		}
	}
	return out
}

// The Workload expresses spec.scheduling of the Framework.
func TestWorkload(t *testing.T) {
	need := func(required bool, role string, keys ...string) *pluginpb.Scheduling {
		s := &pluginpb.Scheduling{}
		for _, key := range keys {
			s.Topology = append(s.Topology, &pluginpb.Topology{Key: key, Required: required, TaskRole: role})
		}
		return s
	}
	least := func(n int32) *pluginpb.Scheduling {
		return &pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: n}}
	}
	both := need(false, "worker", "zone")
	both.Topology = append(both.Topology, &pluginpb.Topology{Key: "rack", Required: true, TaskRole: "worker"}, &pluginpb.Topology{Key: "block"})
	classes := map[string]any{"queue": "research", "priorities": map[string]any{"high": 1000}, "workloadPriorities": map[string]any{"prod": 7, "high": 9}}
	partial := map[string]any{"queue": "research", "partialAdmission": true}
	const train = "train-2 in research, "
	tests := []struct {
		name       string
		parameters map[string]any
		scheduling *pluginpb.Scheduling
		change     func(chief, worker *pluginpb.RoleShape)
		want       string // the outline, or the refusal
	}{
		{"the queue of the Framework", research, &pluginpb.Scheduling{Queue: "mine"}, nil, "train-2 in mine, chief 1, worker 4"},
		{"no parameter", nil, &pluginpb.Scheduling{Queue: "mine"}, nil, "train-2 in mine, chief 1, worker 4"},
		{"priority", classes, &pluginpb.Scheduling{PriorityClassName: "prod"}, nil, train + "WorkloadPriorityClass prod 7, chief 1, worker 4"},
		{"Kueue's class comes first", classes, &pluginpb.Scheduling{PriorityClassName: "high"}, nil, train + "WorkloadPriorityClass high 9, chief 1, worker 4"},
		{"priority of the Pods", map[string]any{"queue": "research", "priorities": map[string]any{"high": 1000}}, nil, func(chief, worker *pluginpb.RoleShape) {
			chief.PriorityClassName, worker.PriorityClassName = "high", "high"
		}, train + "PriorityClass high 1000, chief 1, worker 4"},
		{"unknown priority of the Pods", classes, nil, func(chief, worker *pluginpb.RoleShape) {
			chief.PriorityClassName, worker.PriorityClassName = "low", "low"
		}, train + "chief 1, worker 4"},
		{"different priorities of the Pods", classes, nil, func(chief, _ *pluginpb.RoleShape) { chief.PriorityClassName = "high" }, train + "chief 1, worker 4"},
		{"unknown priority", classes, &pluginpb.Scheduling{PriorityClassName: "low"}, nil,
			"Kueue: spec.scheduling.priorityClassName: the number of low is not known, and Kueue does not look it up; have it put into the parameter workloadPriorities, or into priorities if it is a class of Pods"},
		{"a minimum", research, least(3), nil, train + "chief 1, worker 4"},
		{"a minimum that counts", partial, least(3), nil, train + "chief 1, worker 4 (2)"},
		{"a minimum of roles that counts", partial, least(3), func(_, worker *pluginpb.RoleShape) { worker.MinTaskCount = 3 }, train + "chief 1, worker 4 (3)"},
		{"a minimum of all that counts", partial, nil, nil, train + "chief 1, worker 4"},
		{"a minimum that is low", partial, least(1), nil, train + "chief 1, worker 4 (1)"},
		{"a rack for a role", research, need(true, "worker", "rack"), nil, train + `chief 1, worker 4 {"required":"rack"}`},
		{"a rack is better", research, need(false, "", "rack"), nil, train + `chief 1 {"preferred":"rack"}, worker 4 {"preferred":"rack"}`},
		{"what is required comes first", research, both, nil, train + `chief 1 {"preferred":"block"}, worker 4 {"required":"rack"}`},
		{"a rack for all", research, need(true, "", "rack"), nil,
			"Kueue: spec.scheduling.topology: key rack: Kueue keeps the Pods of each TaskRole together, but not the Pods of different roles; set role, or make it Preferred"},
		{"a rack for all of one role", research, need(true, "", "rack"), func(chief, _ *pluginpb.RoleShape) { chief.TaskNumber = 0 },
			train + `worker 4 {"required":"rack"}`},
		{"two at once", research, need(true, "worker", "rack", "zone"), nil,
			"Kueue: spec.scheduling.topology: key zone: Kueue takes one that is Required, and there is rack already; make one of them Preferred"},
		{"no quantity", research, nil, func(chief, _ *pluginpb.RoleShape) { chief.Requests["cpu"] = "much" }, "Kueue: role chief: request of cpu: "},
		{"no JSON", research, nil, func(chief, _ *pluginpb.RoleShape) { chief.AffinityJson = []byte("{") }, "Kueue: role chief: affinity of its Pods: not JSON"},
		{"Pods that Kueue knows", research, nil, func(_, worker *pluginpb.RoleShape) {
			worker.TemplateLabels = map[string]string{"kueue.x-k8s.io/queue-name": "research"}
		}, "Kueue: role worker: its Pods have the label kueue.x-k8s.io/queue-name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			q := hintstory.Training(t, 4, test.parameters, test.scheduling)
			if test.change != nil {
				test.change(q.Roles[0], q.Roles[1])
			}
			a := hinted(t, q)
			if strings.HasPrefix(test.want, "Kueue: ") {
				if !strings.HasPrefix(a.GetRefusal(), test.want) {
					t.Errorf("refused: %q, want %q", a.GetRefusal(), test.want)
				}
				return
			}
			if got := outline(t, a.GetObjects()[0]); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// Frameworks without a queue are ignored, and so are Frameworks without Tasks, until they have some.
func TestNoOpinion(t *testing.T) {
	idle := hintstory.Training(t, 0, research, nil)
	idle.Roles[0].TaskNumber = 0
	for name, q := range map[string]*pluginpb.HintRequest{"no queue": hintstory.Training(t, 4, nil, nil), "no Tasks": idle} {
		if got := hinted(t, q); got != nil {
			t.Errorf("%s: %v, want no opinion", name, got)
		}
	}
}

// A gang without a queue would get neither quota nor places as a whole, without any notice.
func TestGangWithoutQueue(t *testing.T) {
	trio := &pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: 3}}
	got := hinted(t, hintstory.Training(t, 4, nil, trio))
	want := &pluginpb.HintResponse{Warnings: []string{"spec.scheduling.gang is not Kueue's without a queue, so its Pods wait for no quota, and are placed one by one, " +
		"by the scheduler of their template: name one in spec.scheduling.queue, or have one put into the parameter queue"}}
	if !proto.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	idle := hintstory.Training(t, 0, nil, trio)
	idle.Roles[0].TaskNumber = 0
	if got := hinted(t, idle); got != nil {
		t.Errorf("of one without Tasks, it says %v", got)
	}
	if got := hinted(t, hintstory.Training(t, 4, research, trio)); len(got.GetObjects()) != 1 || len(got.GetWarnings()) > 0 {
		t.Errorf("of one with a queue by parameter, it says %v", got)
	}
}

// Roles that are alike share a pod set if there would be too many. Too many different roles are refused.
func TestManyRoles(t *testing.T) {
	q := hintstory.Training(t, 2, research, nil)
	add := func(n int, cpu string) {
		for i := range n {
			q.Roles = append(q.Roles, &pluginpb.RoleShape{Name: fmt.Sprintf("r%sx%d", cpu, i), TaskNumber: 3, Requests: map[string]string{"cpu": cpu}})
		}
	}
	add(6, "1")
	if got := len(podSetsIn(t, hinted(t, q))); got != 8 {
		t.Errorf("%d pod sets for 8 roles", got)
	}
	add(1, "4")
	sets := podSetsIn(t, hinted(t, q))
	if len(sets) != 4 || sets[2].Name != "r1x0" || sets[2].Count != 18 {
		t.Errorf("%+v", sets)
	}
	q.Scheduling = &pluginpb.Scheduling{Topology: []*pluginpb.Topology{{Key: "rack", Required: true, TaskRole: "r1x3"}}}
	if got := hinted(t, q).GetRefusal(); !strings.Contains(got, "role r1x3: the number of TaskRoles is so high that the role shares its pod set") {
		t.Error(got)
	}
	q.Scheduling = nil
	for i := range 5 {
		add(1, fmt.Sprint(5+i))
	}
	if got := hinted(t, q).GetRefusal(); !strings.Contains(got, "9 TaskRoles have different Pods, and a Workload has at most 8 pod sets") {
		t.Error(got)
	}
	q.Parameters = plugintest.Parameters(t, map[string]any{"queue": "research", "maxPodSets": 18})
	if got := len(podSetsIn(t, hinted(t, q))); got != 14 {
		t.Errorf("%d pod sets for 14 roles", got)
	}
}

func podSetsIn(t *testing.T, a *pluginpb.HintResponse) []podSet {
	t.Helper()
	if len(a.GetObjects()) == 0 {
		t.Fatal(a)
	}
	w, err := workloadIn(a.GetObjects()[0].GetJson())
	if err != nil {
		t.Fatal(err)
	}
	return w.Spec.PodSets
}
