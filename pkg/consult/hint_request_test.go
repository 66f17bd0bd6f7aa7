package consult_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// stateWith has nothing but gates.
func stateWith(t *testing.T, gates *v1.RoleGates) *lifecycle.State {
	t.Helper()
	state, err := lifecycle.Load(&v1.FrameworkStatus{State: v1.AttemptCreationPending, Gates: gates,
		AttemptStatus: v1.FrameworkAttemptStatus{ConfigMapName: "f-attempt", TaskRoleStatuses: []v1.TaskRoleStatus{}}})
	require.NoError(t, err)
	return state
}

// Tasks whose Pods come later are told apart from the others, and are in no minimum until they come. A plugin that is older
// than that sees a rescale. Where no role starts after others, the question is what it was before.
func TestTasksThatComeLater(t *testing.T) {
	role := func(name string, tasks int32, after ...v1.StartAfterSpec) v1.TaskRoleSpec {
		return v1.TaskRoleSpec{Name: name, TaskNumber: tasks, StartAfter: after, Task: v1.TaskSpec{Pod: []byte(`{}`)}}
	}
	spec := &v1.FrameworkSpec{
		Scheduling: &v1.SchedulingSpec{Gang: &v1.GangSpec{MinTasks: new(int32(5)), PerRole: []v1.RoleGangSpec{{Role: "trainer", MinTasks: 3}}}},
		TaskRoles:  []v1.TaskRoleSpec{role("init", 2), role("trainer", 4, v1.StartAfterSpec{Role: "init", When: v1.StartSucceeded})},
	}
	ask := func(gates *v1.RoleGates) *pluginpb.HintRequest {
		q, err := consult.HintRequest(nil, spec, stateWith(t, gates), "")
		require.NoError(t, err)
		return q
	}
	q := ask(&v1.RoleGates{})
	require.EqualValues(t, 2, q.Scheduling.Gang.MinTaskCount)
	require.EqualValues(t, 2, q.Roles[0].TaskNumber)
	require.EqualValues(t, []int32{0, 4, 0}, []int32{q.Roles[1].TaskNumber, q.Roles[1].LaterTaskNumber, q.Roles[1].MinTaskCount})
	q = ask(&v1.RoleGates{Created: []string{"trainer"}})
	require.EqualValues(t, 5, q.Scheduling.Gang.MinTaskCount)
	require.EqualValues(t, []int32{4, 0, 3}, []int32{q.Roles[1].TaskNumber, q.Roles[1].LaterTaskNumber, q.Roles[1].MinTaskCount})
	spec.TaskRoles[1].StartAfter = nil
	if without := ask(nil); !proto.Equal(without, q) {
		t.Errorf("without startAfter the question is %v, and was %v", without, q)
	}
}

// A plugin is told which Tasks start again with one that is retried.
func TestRestartScopeIsTold(t *testing.T) {
	for restart, want := range map[v1.RestartScope]pluginpb.RestartScope{
		"":                  pluginpb.RestartScope_RESTART_SCOPE_TASK,
		v1.RestartTask:      pluginpb.RestartScope_RESTART_SCOPE_TASK,
		v1.RestartRole:      pluginpb.RestartScope_RESTART_SCOPE_ROLE,
		v1.RestartFramework: pluginpb.RestartScope_RESTART_SCOPE_FRAMEWORK,
	} {
		spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{
			Name: "worker", TaskNumber: 1, Task: v1.TaskSpec{Pod: []byte(`{}`), RetryPolicy: v1.RetryPolicySpec{MaxRetryCount: 2, Restart: restart}}}}}
		q, err := consult.HintRequest(nil, spec, stateWith(t, nil), "")
		require.NoError(t, err)
		if got := q.Roles[0].RetryPolicy; got.Restart != want || got.MaxRetryCount != 2 || q.RetryPolicy.Restart != 0 {
			t.Errorf("%q: %v; of the Framework: %v", restart, got, q.RetryPolicy)
		}
	}
}
