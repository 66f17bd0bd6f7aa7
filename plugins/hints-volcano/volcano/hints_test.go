package volcano

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

var research = map[string]any{"queue": "research"}

func hinted(t *testing.T, q *pluginpb.HintRequest) *pluginpb.HintResponse {
	t.Helper()
	return hintstory.Answer(t, New().SchedulerHints.Hint, q)
}

func TestHint(t *testing.T) {
	got := hinted(t, hintstory.Training(t, 4, research, nil))
	member := func(role string) *pluginpb.PodPatch {
		return &pluginpb.PodPatch{TaskRole: role, SchedulerName: "volcano", Annotations: map[string]string{
			"scheduling.k8s.io/group-name": "train-2", "volcano.sh/task-spec": role}}
	}
	want := &pluginpb.HintResponse{
		Wait: true, Watch: true, Events: true, FollowTasks: true,
		Patches: []*pluginpb.PodPatch{member("chief"), member("worker")},
		Objects: []*pluginpb.Object{{Json: []byte(`{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"train-2"},` +
			`"spec":{"minMember":5,"minTaskMember":{"chief":1,"worker":4},"minResources":{"cpu":"8500m","nvidia.com/gpu":"32"},"queue":"research"}}`)}},
	}
	if !proto.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// The PodGroup expresses spec.scheduling of the Framework.
func TestGroup(t *testing.T) {
	racks := map[string]any{"queue": "research", "topologyTiers": map[string]any{"rack": 1, "block": 3}}
	need := func(required bool, role string, keys ...string) *pluginpb.Scheduling {
		s := &pluginpb.Scheduling{}
		for _, key := range keys {
			s.Topology = append(s.Topology, &pluginpb.Topology{Key: key, Required: required, TaskRole: role})
		}
		return s
	}
	both := need(true, "", "block")
	both.Topology = append(both.Topology, &pluginpb.Topology{Key: "rack"})
	least := func(n int32) *pluginpb.Scheduling {
		return &pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: n}}
	}
	raise := func(_, worker *pluginpb.RoleShape) {
		worker.Requests["memory"] = "1Gi"
		worker.RaisedTasks = []*pluginpb.RaisedTasks{{Indices: []int32{2}, Requests: map[string]string{"cpu": "2", "memory": "4Gi", "nvidia.com/gpu": "8"}}}
	}
	const all = `"minMember":5,"minTaskMember":{"chief":1,"worker":4},"minResources":{"cpu":"8500m","nvidia.com/gpu":"32"},`
	tests := []struct {
		name       string
		parameters map[string]any
		scheduling *pluginpb.Scheduling
		change     func(chief, worker *pluginpb.RoleShape)
		want       string // the spec, or the refusal
	}{
		{"the queue of the Framework", research, &pluginpb.Scheduling{Queue: "mine"}, nil, all + `"queue":"mine"`},
		{"no parameter", nil, &pluginpb.Scheduling{Queue: "mine"}, nil, all + `"queue":"mine"`},
		{"priority", research, &pluginpb.Scheduling{PriorityClassName: "high"}, nil, all + `"queue":"research","priorityClassName":"high"`},
		{"priority of the Pods", research, nil, func(chief, worker *pluginpb.RoleShape) {
			chief.PriorityClassName, worker.PriorityClassName = "high", "high"
		}, all + `"queue":"research","priorityClassName":"high"`},
		{"different priorities", research, nil, func(_, worker *pluginpb.RoleShape) { worker.PriorityClassName = "high" },
			"Volcano: the Pods of a gang have one priority"},
		{"some of all", research, least(3), nil, `"minMember":3,"queue":"research"`},
		{"raised memory", research, nil, raise, `"minMember":5,"minTaskMember":{"chief":1,"worker":4},"minResources":{"cpu":"8500m","memory":"7Gi","nvidia.com/gpu":"32"},"queue":"research"`},
		{"raised memory beside the minimum", research, least(3), func(chief, worker *pluginpb.RoleShape) {
			raise(chief, worker)
			chief.MinTaskCount, worker.MinTaskCount = 1, 2
		}, `"minMember":3,"minTaskMember":{"chief":1,"worker":2},"minResources":{"cpu":"4500m","memory":"2Gi","nvidia.com/gpu":"16"},"queue":"research"`},
		{"some of a role", research, least(3), func(chief, _ *pluginpb.RoleShape) { chief.MinTaskCount = 1 },
			`"minMember":3,"minTaskMember":{"chief":1},"minResources":{"cpu":"4500m","nvidia.com/gpu":"16"},"queue":"research"`},
		{"more of the roles than of all", research, least(2), func(chief, worker *pluginpb.RoleShape) {
			chief.MinTaskCount, worker.MinTaskCount = 1, 3
		}, `"minMember":4,"minTaskMember":{"chief":1,"worker":3},"minResources":{"cpu":"6500m","nvidia.com/gpu":"24"},"queue":"research"`},
		{"some have completed", research, nil, func(_, worker *pluginpb.RoleShape) { worker.CompletedTaskCount = 3 },
			`"minMember":2,"minTaskMember":{"chief":1,"worker":1},"minResources":{"cpu":"2500m","nvidia.com/gpu":"8"},"queue":"research"`},
		{"a rack", racks, need(true, "", "rack"), nil, all + `"queue":"research","networkTopology":{"mode":"hard","highestTierAllowed":1}`},
		{"a rack is better", racks, need(false, "", "rack"), nil, all + `"queue":"research","networkTopology":{"mode":"soft","highestTierAllowed":1}`},
		{"a rack within a block", racks, need(true, "", "block", "rack"), nil, all + `"queue":"research","networkTopology":{"mode":"hard","highestTierAllowed":1}`},
		{"a block, and better a rack", racks, both, nil, all + `"queue":"research","networkTopology":{"mode":"hard","highestTierAllowed":3}`},
		{"no such tier", racks, need(true, "", "zone"), nil,
			"Volcano: spec.scheduling.topology: key zone: which tier of HyperNodes it is, is not known; have it put into the parameter topologyTiers, or make it Preferred"},
		{"better no such tier", racks, need(false, "", "zone"), nil, all + `"queue":"research"`},
		{"of a role", racks, need(true, "worker", "rack"), nil,
			"Volcano: spec.scheduling.topology: role worker: Volcano keeps the Pods of a whole group together, but not the Pods of one role; remove role, or make it Preferred"},
		{"better of a role", racks, need(false, "worker", "rack"), nil, all + `"queue":"research"`},
		{"of the only role", racks, need(true, "worker", "rack"), func(chief, _ *pluginpb.RoleShape) { chief.TaskNumber = 0 },
			`"minMember":4,"minTaskMember":{"worker":4},"minResources":{"cpu":"8","nvidia.com/gpu":"32"},"queue":"research",` +
				`"networkTopology":{"mode":"hard","highestTierAllowed":1}`},
		{"no quantity", research, nil, func(chief, _ *pluginpb.RoleShape) { chief.Requests["cpu"] = "much" },
			"Volcano: role chief: request of cpu: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			q := hintstory.Training(t, 4, test.parameters, test.scheduling)
			if test.change != nil {
				test.change(q.Roles[0], q.Roles[1])
			}
			a := hinted(t, q)
			if strings.HasPrefix(test.want, "Volcano: ") {
				if !strings.HasPrefix(a.GetRefusal(), test.want) {
					t.Errorf("refused: %q, want %q", a.GetRefusal(), test.want)
				}
				return
			}
			_, spec, _ := strings.Cut(string(a.GetObjects()[0].GetJson()), `"spec":`)
			if spec != "{"+test.want+"}}" {
				t.Errorf("got  %s\nwant {%s}}", spec, test.want)
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

// A gang without a queue would be placed Pod by Pod, without any notice.
func TestGangWithoutQueue(t *testing.T) {
	got := hinted(t, hintstory.Training(t, 4, nil, &pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: 3}}))
	want := &pluginpb.HintResponse{Warnings: []string{"spec.scheduling.gang is not Volcano's without a queue, so its Pods are placed one by one, " +
		"by the scheduler of their template: name one in spec.scheduling.queue, or have one put into the parameter queue"}}
	if !proto.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// An existing group stays when all Tasks have completed, or were removed by a scale-down: the attempt may get others.
func TestGroupStays(t *testing.T) {
	q := hintstory.Training(t, 4, research, nil)
	q.Previous = hinted(t, q)
	q.Roles[0].CompletedTaskCount, q.Roles[1].TaskNumber = 1, 0
	a := hinted(t, q)
	if len(a.GetObjects()) != 1 || !strings.Contains(string(a.GetObjects()[0].GetJson()), `"minMember":0`) {
		t.Errorf("%v", a)
	}
}

func TestParameters(t *testing.T) {
	q := hintstory.Training(t, 4, map[string]any{"queue": "q", "schedulerName": "volcano-gpu"}, nil)
	if got := hinted(t, q).GetPatches()[0].GetSchedulerName(); got != "volcano-gpu" {
		t.Errorf("the scheduler is %s", got)
	}
	if got := hinted(t, hintstory.Training(t, 4, map[string]any{"queu": "q"}, nil)).GetRefusal(); !strings.Contains(got, "queu") {
		t.Errorf("refused: %q", got)
	}
}
