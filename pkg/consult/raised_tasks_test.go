package consult_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// A scheduler is told of Tasks whose Pods have more memory than the template, in groups, and within the maximum of today.
func TestRaisedTasksAreTold(t *testing.T) {
	spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "a", TaskNumber: 4, Task: v1.TaskSpec{
		RetryPolicy: v1.RetryPolicySpec{OnOOM: &v1.OnOOMSpec{MaxMemory: "3Gi"}},
		Pod:         v1.PodTemplate(`{"spec":{"containers":[{"name":"c","resources":{"limits":{"memory":"1Gi"}}},{"name":"d","resources":{"limits":{"memory":"1Gi"}}}]}}`),
	}}}}
	status := &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: v1.FrameworkAttemptStatus{ConfigMapName: "c", TaskRoleStatuses: []v1.TaskRoleStatus{{Name: "a"}}}}
	for i, limit := range []string{"2Gi", "", "4Gi", "2Gi"} {
		task := v1.TaskStatus{Index: int32(i), State: v1.AttemptCreationPending, AttemptStatus: v1.TaskAttemptStatus{PodName: "p"}}
		if limit != "" {
			task.Memory = []v1.ContainerMemory{{Container: "c", Limit: limit, FirstLimit: "1Gi"}}
		}
		status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses = append(status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses, task)
	}
	state, err := lifecycle.Load(status)
	require.NoError(t, err)
	question, err := consult.HintRequest(nil, spec, state, "a=4")
	require.NoError(t, err)
	role := question.GetRoles()[0]
	require.Equal(t, "2Gi", role.GetLimits()["memory"])
	require.Len(t, role.GetRaisedTasks(), 2)
	require.Equal(t, []int32{0, 3}, role.GetRaisedTasks()[0].GetIndices())
	require.Equal(t, "3Gi", role.GetRaisedTasks()[0].GetLimits()["memory"])
	require.Equal(t, "3Gi", role.GetRaisedTasks()[0].GetRequests()["memory"])
	require.Equal(t, []int32{2}, role.GetRaisedTasks()[1].GetIndices())
	require.Equal(t, "4Gi", role.GetRaisedTasks()[1].GetLimits()["memory"])
}
