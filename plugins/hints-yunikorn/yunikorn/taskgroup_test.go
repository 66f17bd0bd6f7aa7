package yunikorn

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// A placeholder is just like the Pods of its role.
func TestTaskGroupOf(t *testing.T) {
	full := &pluginpb.RoleShape{
		Name: "worker", TaskNumber: 4,
		Requests:                      map[string]string{"cpu": "500m", "nvidia.com/gpu": "8"},
		NodeSelector:                  map[string]string{"pool": "gpu"},
		TolerationsJson:               []byte(`[{"key":"gpu","operator":"Exists"}]`),
		AffinityJson:                  []byte(`{"nodeAffinity":{}}`),
		TopologySpreadConstraintsJson: []byte(`[{"maxSkew":1,"topologyKey":"rack","whenUnsatisfiable":"DoNotSchedule"}]`),
	}
	for name, test := range map[string]struct {
		role *pluginpb.RoleShape
		want string
	}{
		"all of it": {full, `{"name":"worker","minMember":3,"minResource":{"cpu":"500m","nvidia.com/gpu":"8"},"nodeSelector":{"pool":"gpu"},` +
			`"tolerations":[{"key":"gpu","operator":"Exists"}],"affinity":{"nodeAffinity":{}},` +
			`"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"rack","whenUnsatisfiable":"DoNotSchedule"}]}`},
		"nothing": {&pluginpb.RoleShape{Name: "ps"}, `{"name":"ps","minMember":3,"minResource":{}}`},
	} {
		got, err := json.Marshal(taskGroupOf(gang.Size{Name: test.role.GetName(), Role: test.role}, 3))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// Invalid JSON is refused, and not sent.
func TestBadTemplate(t *testing.T) {
	q := &pluginpb.HintRequest{Framework: &pluginpb.Framework{Namespace: "n", Name: "f"},
		Roles: []*pluginpb.RoleShape{{Name: "a", TaskNumber: 1, TolerationsJson: []byte("{")}}}
	if a, err := New().SchedulerHints.Hint(t.Context(), q); err != nil || a.GetRefusal() == "" {
		t.Errorf("%v, %v", a, err)
	}
}

// If the groups of raised Tasks do not fit into the answer, all Tasks of a role have placeholders as large as the largest one needs.
func TestTooManyTaskGroups(t *testing.T) {
	q := &pluginpb.HintRequest{Framework: &pluginpb.Framework{Namespace: "n", Name: "f"}}
	for i := range 16 {
		q.Roles = append(q.Roles, &pluginpb.RoleShape{
			Name: fmt.Sprintf("%060d", i), TaskNumber: 2, Requests: map[string]string{"memory": "1Gi"},
			RaisedTasks: []*pluginpb.RaisedTasks{{Indices: []int32{1}, Requests: map[string]string{"memory": "2Gi"}}},
		})
	}
	a, err := New().SchedulerHints.Hint(t.Context(), q)
	require.NoError(t, err)
	require.Empty(t, a.GetRefusal())
	require.Len(t, a.GetPatches(), 16)
	require.Contains(t, a.GetPatches()[0].GetAnnotations()[annotationTaskGroups], `"minMember":2,"minResource":{"memory":"2Gi"}`)
}
