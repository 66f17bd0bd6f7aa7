package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A Task that keeps failing takes every step: it is retried itself, then with all of its role, then with the Framework, and in its second
// attempt the same once more. Then it has failed. Its users see each step. The checker verifies that no Task ever has two Pods.
func TestEachStepOfRetries(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("steps", `{retryPolicy: {maxRetryCount: 1, backoff: {initialDelaySec: 3}}, taskRoles: [
		{name: w, taskNumber: 2, retryPolicy: {maxRetryCount: 1}, task: {retryPolicy: {maxRetryCount: 1}, pod: `+pod()+`}},
		{name: ps, taskNumber: 1, task: {pod: `+pod()+`}}]}`)

	s.takeSteps("steps", 0)
	f := s.await("steps", "waiting for its next attempt", func(f *v1.FrameworkStatus) bool { return f.RetryPolicyStatus.RetryDelaySec != nil })
	const steps = "Task w-1: no retry is left by maxRetryCount 1; role w: no retry is left by maxRetryCount 1; Framework: "
	one := int32(1)
	task := v1.RetryVerdict{Of: v1.RetryOfTask, Name: "w-1", Row: "R7", MaxRetryCount: &one}
	role := v1.RetryVerdict{Of: v1.RetryOfTaskRole, Name: "w", MaxRetryCount: &one}
	require.Equal(t, &v1.CompletionTrigger{
		Message: "FailedTaskCount 1 has reached MinFailedTaskCount 1 in the TaskRole", TaskRoleName: "w", TaskIndex: 1, // without a rule, as a plugin has decided
	}, f.Status.AttemptStatus.CompletionStatus.Trigger)
	require.Equal(t, []v1.RetryVerdict{task, role, {Of: v1.RetryOfFramework, RetryLeft: true, Row: "R6"}}, f.Status.AttemptStatus.CompletionStatus.Retries)
	require.Equal(t, `AttemptCompleted attempt=0 retried=0/0 delay=3 code=9 ContainerUnrecognizedFailed trigger=w-1
w-0 Completed retried=1/0 code=-220 FrameworkAttemptCompletion
w-1 Completed retried=2/1 code=9 ContainerUnrecognizedFailed
ps-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
`, describe(f.Status))

	s.takeSteps("steps", 1)
	s.requireCompleted("steps", `Completed attempt=1 retried=1/1 code=9 ContainerUnrecognizedFailed trigger=w-1
w-0 Completed retried=1/0 code=-220 FrameworkAttemptCompletion
w-1 Completed retried=2/1 code=9 ContainerUnrecognizedFailed
ps-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
`)
	f = s.awaitState("steps", v1.Completed, 1)
	require.Equal(t, []v1.RetryVerdict{task, role, {Of: v1.RetryOfFramework, Row: "R7", MaxRetryCount: &one}}, f.Status.AttemptStatus.CompletionStatus.Retries)
	s.requirePods(podCount{created: 12, gone: 12}) // in each attempt 3, then 1 for the Task, and 2 for its role
	for _, h := range s.toldBy("OnTaskRetry") {
		if role := h.fields.at("taskRole"); h.meta().at("labels").text("FC_TASKROLE_NAME") == "w" && role.at("retryPolicy").number("maxRetryCount") != 1 {
			t.Errorf("the history has of the role %v", role)
		}
	}
	failure := f.Status.AttemptStatus.CompletionStatus.Diagnostics // the same in both attempts
	s.awaitEvents("steps",
		"TaskRetried: Task w-1: attempt 1 begins, after ContainerUnrecognizedFailed, code 9 on ",
		"PeersRestarted: Task w-1: ContainerUnrecognizedFailed, code 9: 1 other Task of role w starts again with it. "+
			"The Task: no retry is left by maxRetryCount 1; so this is retry 1 of 1 of role w",
		"TaskRetried: Task w-0: attempt 1 begins, after RestartedWithPeers, code -240 on ",
		"AttemptCompleted: attempt 0, by Task w-1: ContainerUnrecognizedFailed, code 9: "+failure+". "+steps+"has a retry left",
		"RetryScheduled: attempt 0 is followed by another after 3 s",
		"Retried: attempt 1 begins, after ContainerUnrecognizedFailed, code 9",
		"AttemptCompleted: attempt 1, by Task w-1: ContainerUnrecognizedFailed, code 9: "+failure+". "+steps+"no retry is left by maxRetryCount 1",
		"Completed: completed after 1 retry: ContainerUnrecognizedFailed, code 9",
	)
}

// takeSteps lets w-1 of an attempt of the Framework fail until neither it nor its role has a retry left. Tasks that a step does not restart
// keep their Pods.
func (s *story) takeSteps(name string, attempt int32) {
	s.t.Helper()
	running := func(own, role, retried int32) {
		s.t.Helper()
		wanted := fmt.Sprintf("attempt %d, w-1 in its attempt %d and w-0 in %d, after %d retries of the role", attempt, own, role, retried)
		s.await(name, wanted, func(f *v1.FrameworkStatus) bool {
			return f.State == v1.AttemptRunning && f.AttemptStatus.ID == attempt && f.Tasks.Running == 3 &&
				task(f, "w", 1).AttemptStatus.ID == own && task(f, "w", 0).AttemptStatus.ID == role &&
				f.AttemptStatus.TaskRoleStatuses[0].RetriedCount == retried && f.AttemptStatus.TaskRoleStatuses[1].RetriedCount == 0
		})
	}
	running(0, 0, 0)
	peer, other := s.uidOf(name+"-w-0"), s.uidOf(name+"-ps-0")

	s.endPod(name+"-w-1", 9)
	running(1, 0, 0)
	require.Equal(s.t, peer, s.uidOf(name+"-w-0"), "w-0 has started again with w-1, which has a retry of its own")

	s.endPod(name+"-w-1", 9)
	running(2, 1, 1)
	require.NotEqual(s.t, peer, s.uidOf(name+"-w-0"))
	require.Equal(s.t, other, s.uidOf(name+"-ps-0"), "another role has started again")

	s.endPod(name+"-w-1", 9)
}
