package volcano

import (
	"encoding/json"
	"errors"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-volcano/volcano"
)

var hints = volcano.New().SchedulerHints

// question uses all that the plugin has words for.
func question(t *testing.T) *pluginpb.HintRequest {
	return &pluginpb.HintRequest{
		Framework:  &pluginpb.Framework{Namespace: "default", Name: "train"},
		Parameters: plugintest.Parameters(t, map[string]any{"topologyTiers": map[string]any{"rack": 2}}),
		Scheduling: &pluginpb.Scheduling{
			Queue: "research", PriorityClassName: "high", Gang: &pluginpb.Gang{MinTaskCount: 4},
			Topology: []*pluginpb.Topology{{Key: "rack", Required: true}},
		},
		Roles: []*pluginpb.RoleShape{
			{Name: "chief", TaskNumber: 1, Requests: map[string]string{"cpu": "1"}, ContainerNames: []string{"main"}},
			{Name: "worker", TaskNumber: 3, Requests: map[string]string{"cpu": "1500m", "nvidia.com/gpu": "1"}, ContainerNames: []string{"main"}},
		},
	}
}

// wanted is the group of an attempt, decoded strictly: Volcano knows every field.
func wanted(t *testing.T) *v1beta1.PodGroup {
	t.Helper()
	answer, err := hints.Hint(t.Context(), question(t))
	require.NoError(t, err)
	require.Len(t, answer.GetObjects(), 1, "%v", answer)
	group := &v1beta1.PodGroup{}
	unknown, err := kjson.UnmarshalStrict(answer.GetObjects()[0].GetJson(), group)
	require.NoError(t, errors.Join(append(unknown, err)...))
	return group
}

func TestGroupIsOneOfVolcano(t *testing.T) {
	group := wanted(t)
	require.Equal(t, v1beta1.SchemeGroupVersion.WithKind("PodGroup"), group.GroupVersionKind())
	s := group.Spec
	require.EqualValues(t, 4, s.MinMember)
	if want := map[string]int32{"chief": 1, "worker": 3}; !maps.Equal(s.MinTaskMember, want) {
		t.Errorf("minTaskMember is %v, want %v", s.MinTaskMember, want)
	}
	require.Equal(t, "research", s.Queue)
	require.Equal(t, "high", s.PriorityClassName)
	require.Equal(t, "5500m", s.MinResources.Cpu().String())
	require.Equal(t, v1beta1.HardNetworkTopologyMode, s.NetworkTopology.Mode)
	require.EqualValues(t, 2, *s.NetworkTopology.HighestTierAllowed)
}

// Volcano's status admits the Pods, or gives the reason why not.
func TestStatusIsRead(t *testing.T) {
	overused := v1beta1.PodGroupCondition{Type: v1beta1.PodGroupUnschedulableType, Status: corev1.ConditionTrue, Message: "overused cpu"}
	for _, test := range []struct {
		status v1beta1.PodGroupStatus
		yes    bool
		reason string
	}{
		{v1beta1.PodGroupStatus{Phase: v1beta1.PodGroupPending, Conditions: []v1beta1.PodGroupCondition{overused}}, false,
			"PodGroup train-0 waits in queue research: overused cpu"},
		{v1beta1.PodGroupStatus{Phase: v1beta1.PodGroupInqueue}, true, ""},
		{v1beta1.PodGroupStatus{Phase: v1beta1.PodGroupRunning}, true, ""},
	} {
		group := wanted(t)
		group.Status = test.status
		text, err := json.Marshal(group)
		require.NoError(t, err)
		q := question(t)
		got, err := hints.(plugin.Waiter).MayCreate(t.Context(), &pluginpb.MayCreateRequest{
			Framework: q.Framework, Roles: q.Roles, Parameters: q.Parameters, Objects: [][]byte{text},
		})
		require.NoError(t, err)
		if got.GetYes() != test.yes || got.GetReason() != test.reason {
			t.Errorf("%s: %v", test.status.Phase, got)
		}
	}
}
