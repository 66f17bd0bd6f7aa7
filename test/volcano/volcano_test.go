package volcano

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-volcano/volcano"
)

var podGroups = schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"}

// A group with all fields that Volcano knows is accepted, changed as Tasks complete and are added, and its states are read.
func TestVolcano(t *testing.T) {
	a := newAttempt(t, "volcano", volcano.New(), podGroups, map[string]any{"topologyTiers": map[string]any{"rack": 2}}, &pluginpb.Scheduling{
		Queue: "research", PriorityClassName: "high", Gang: &pluginpb.Gang{MinTaskCount: 4},
		Topology: []*pluginpb.Topology{{Key: "rack", Required: true}},
	})
	a.hint()
	require.Contains(t, a.mayCreate(false).GetReason(), "Volcano has not looked at it yet")
	a.says("volcano-0", `{"phase": "Pending", "conditions": [{"type": "Unschedulable", "status": "True", "message": "overused cpu", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}`)
	require.Equal(t, "PodGroup volcano-0 waits in queue research: overused cpu", a.mayCreate(false).GetReason())
	a.says("volcano-0", `{"phase": "Inqueue"}`)
	require.True(t, a.mayCreate(false).GetYes())

	a.question.Roles[1].CompletedTaskCount, a.question.Roles[1].TaskNumber = 2, 4
	a.hint()
	group, err := a.objects.Get(t.Context(), "volcano-0", metav1.GetOptions{})
	require.NoError(t, err)
	text, err := group.MarshalJSON()
	require.NoError(t, err)
	if !strings.Contains(string(text), `"minTaskMember":{"chief":1,"worker":2}`) {
		t.Errorf("%s", text)
	}
	require.True(t, a.mayCreate(true).GetYes())
	require.NoError(t, a.objects.Delete(t.Context(), "volcano-0", metav1.DeleteOptions{}))
	require.NotNil(t, a.mayCreate(true).GetEvict())
}
