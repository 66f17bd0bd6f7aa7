package consult_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// stateWith has only gates.
func stateWith(t *testing.T, gates *v1.RoleGates) *lifecycle.State {
	t.Helper()
	state, err := lifecycle.Load(&v1.FrameworkStatus{State: v1.AttemptCreationPending, Gates: gates,
		AttemptStatus: v1.FrameworkAttemptStatus{ConfigMapName: "f-attempt", TaskRoleStatuses: []v1.TaskRoleStatus{}}})
	require.NoError(t, err)
	return state
}

// Tasks whose Pods come later are counted apart from the others, and no minimum includes them until their Pods may be created. An older
// plugin sees a rescale. If no role starts after others, the question is unchanged.
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

// The question says which Tasks restart along with a retried one.
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

// A scheduler finds nodes for as many Tasks as may run at once, and for fewer only when fewer are left.
func TestTasksThatRunInTurns(t *testing.T) {
	spec := &v1.FrameworkSpec{
		Scheduling: &v1.SchedulingSpec{Gang: &v1.GangSpec{}},
		TaskRoles:  []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 10, Parallelism: new(int32(3)), Task: v1.TaskSpec{Pod: []byte(`{}`)}}},
	}
	for completed, want := range map[int][]int32{0: {3, 0, 3}, 6: {3, 0, 3}, 8: {3, 1, 2}, 10: {3, 3, 0}} {
		tasks := []v1.TaskStatus{}
		for i := range 10 {
			task := v1.TaskStatus{Index: int32(i), State: v1.AttemptCreationPending, AttemptStatus: v1.TaskAttemptStatus{PodName: "p"}}
			if i < completed {
				task.State, task.CompletionTime = v1.Completed, new(metav1.Now())
				task.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{}
			}
			tasks = append(tasks, task)
		}
		state, err := lifecycle.Load(&v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: v1.FrameworkAttemptStatus{
			ConfigMapName: "f-attempt", TaskRoleStatuses: []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: tasks}}}})
		require.NoError(t, err)
		q, err := consult.HintRequest(nil, spec, state, "")
		require.NoError(t, err)
		if got := []int32{q.Roles[0].TaskNumber, q.Roles[0].CompletedTaskCount, q.Scheduling.Gang.MinTaskCount}; !slices.Equal(got, want) {
			t.Errorf("%d have completed: got %v, want %v", completed, got, want)
		}
	}
}
