package main

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// training is a Framework with a chief and so many workers, for a queue; empty for none.
func training(t *testing.T, workers int32, queue string) *pluginpb.HintRequest {
	parameters := map[string]any{}
	if queue != "" {
		parameters["queue"] = queue
	}
	return &pluginpb.HintRequest{
		Framework:  &pluginpb.Framework{Namespace: "default", Name: "train", AttemptId: 2},
		Parameters: plugintest.Parameters(t, parameters),
		Roles: []*pluginpb.RoleShape{
			{Name: "chief", TaskNumber: 1, Requests: map[string]string{"cpu": "500m"}, ContainerNames: []string{"main"}},
			{Name: "worker", TaskNumber: workers, Requests: map[string]string{"cpu": "2", "nvidia.com/gpu": "8"}, ContainerNames: []string{"main"}},
		},
	}
}

func TestHint(t *testing.T) {
	got, err := volcano{}.Hint(t.Context(), training(t, 4, "research"))
	if err != nil {
		t.Fatal(err)
	}
	member := func(role string) *pluginpb.PodPatch {
		return &pluginpb.PodPatch{TaskRole: role, SchedulerName: "volcano", Annotations: map[string]string{
			"scheduling.k8s.io/group-name": "train-2", "volcano.sh/task-spec": role}}
	}
	want := &pluginpb.HintResponse{
		Wait:    true,
		Patches: []*pluginpb.PodPatch{member("chief"), member("worker")},
		Objects: []*pluginpb.Object{{Json: []byte(`{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"train-2"},` +
			`"spec":{"minMember":5,"minTaskMember":{"chief":1,"worker":4},"minResources":{"cpu":"8500m","nvidia.com/gpu":"32"},"queue":"research"}}`)}},
	}
	if !proto.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// Frameworks without a queue are none of its business, and those without Tasks not yet.
func TestNoOpinion(t *testing.T) {
	idle := training(t, 0, "research")
	idle.Roles[0].TaskNumber = 0
	for name, q := range map[string]*pluginpb.HintRequest{"no queue": training(t, 4, ""), "no Tasks": idle} {
		if got, err := (volcano{}).Hint(t.Context(), q); got != nil || err != nil {
			t.Errorf("%s: %v, %v, want no opinion", name, got, err)
		}
	}
}

func TestMayCreate(t *testing.T) {
	tests := []struct {
		name, group string
		want        bool
		reason      string
	}{
		{"not looked at yet", `{"metadata": {"name": "train-2"}, "spec": {"queue": "q"}}`, false, "PodGroup train-2 waits in queue q"},
		{"waiting", `{"metadata": {"name": "train-2"}, "spec": {"queue": "q"}, "status": {"phase": "Pending"}}`, false, "PodGroup train-2 waits in queue q"},
		{"admitted", `{"status": {"phase": "Inqueue"}}`, true, ""},
		{"some run", `{"status": {"phase": "Running"}}`, true, ""},
		{"some are gone", `{"status": {"phase": "Unknown"}}`, true, ""},
		{"deleted", "", false, "the PodGroup was deleted; stop the Framework and create it again"},
	}
	for _, test := range tests {
		got, err := volcano{}.MayCreate(t.Context(), &pluginpb.MayCreateRequest{Objects: [][]byte{[]byte(test.group)}})
		if err != nil || got.GetYes() != test.want || got.GetReason() != test.reason {
			t.Errorf("%s: %v, %v, want %t, %q", test.name, got, err, test.want, test.reason)
		}
	}
}

// That the plugin keeps to the contract, whatever it decides.
func TestContract(t *testing.T) {
	options := plugintest.Options{
		Parameters: map[string]any{"queue": "research"},
		Shapes:     []*pluginpb.HintRequest{training(t, 4, "research"), training(t, 0, "research")},
		Refused:    []plugintest.Refused{{Parameters: map[string]any{"que": "research"}, Mention: "que"}},
	}
	t.Run("in process", func(t *testing.T) { plugintest.Hints(t, plugintest.InProcess(newPlugin), options) })
	t.Run("as a program", func(t *testing.T) {
		plugintest.Hints(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}
