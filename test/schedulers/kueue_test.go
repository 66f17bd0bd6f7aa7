package schedulers

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-kueue/kueue"
)

var workloads = schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: "workloads"}

const at = `"reason": "R", "lastTransitionTime": "2026-01-01T00:00:00Z"}`

// A Workload with all that the plugin says is taken, and so is one for Tasks that are added. What Kueue says is read.
func TestKueue(t *testing.T) {
	a := newAttempt(t, "kueue", kueue.New(), workloads, map[string]any{
		"workloadPriorities": map[string]any{"high": 1000}, "partialAdmission": true,
		"flavors": map[string]any{"a100": map[string]any{"nodeSelector": map[string]any{"gpu": "a100"}}},
	}, &pluginpb.Scheduling{
		Queue: "research", PriorityClassName: "high", Gang: &pluginpb.Gang{MinTaskCount: 3},
		Topology: []*pluginpb.Topology{{Key: "rack", TaskRole: "worker"}},
	})
	a.hint()
	require.Contains(t, a.mayCreate(false).GetReason(), "Kueue has not looked at it yet")
	a.says("kueue-0", `{"conditions": [{"type": "QuotaReserved", "status": "False", "message": "insufficient quota", `+at+`]}`, "status")
	require.Equal(t, "Workload kueue-0 waits in queue research: insufficient quota", a.mayCreate(false).GetReason())
	a.says("kueue-0", admitted, "status")
	answer := a.mayCreate(false)
	require.True(t, answer.GetYes(), answer.GetReason())
	require.Len(t, answer.GetPatches(), 3)
	require.Equal(t, map[string]string{"gpu": "a100", "rack": "r1"}, answer.GetPatches()[1].GetNodeSelector())

	a.question.Roles[1].TaskNumber = 5
	require.Len(t, a.hint().GetObjects(), 2)
	require.Contains(t, a.mayCreate(true).GetReason(), "Workload kueue-0-r1 waits in queue research")
	a.says("kueue-0", `{"conditions": [{"type": "Evicted", "status": "True", "message": "preempted", `+at+`]}`, "status")
	require.Equal(t, "Kueue has evicted Workload kueue-0: preempted", a.mayCreate(true).GetEvict().GetReason())
}

// admitted is what Kueue writes: all Pods in two racks of one flavor.
const admitted = `{
	"conditions": [{"type": "QuotaReserved", "status": "True", "message": "", ` + at + `, {"type": "Admitted", "status": "True", "message": "", ` + at + `],
	"admission": {"clusterQueue": "c", "podSetAssignments": [
		{"name": "chief", "flavors": {"cpu": "a100"}, "count": 1},
		{"name": "worker", "flavors": {"cpu": "a100", "nvidia.com/gpu": "a100"}, "count": 3, "topologyAssignment": {"levels": ["rack"], "slices": [
			{"domainCount": 2, "valuesPerLevel": [{"individual": {"prefix": "r", "roots": ["1", "2"]}}], "podCounts": {"individual": [2, 1]}}]}}]}}`

// A class of Pods is another kind of reference.
func TestKueuePriorityOfPods(t *testing.T) {
	newAttempt(t, "priority", kueue.New(), workloads, map[string]any{"priorities": map[string]any{"high": 1000}},
		&pluginpb.Scheduling{Queue: "research", PriorityClassName: "high"}).hint()
}
