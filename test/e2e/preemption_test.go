package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The real scheduler preempts a Pod for one of higher priority. The retry is not counted, and its Task has a place again when there is room.
func TestPodIsPreempted(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.addNode("contested", "2")
	s.createPriorityClass("preemption-urgent")
	s.create("lower", `{taskRoles: [{name: a, taskNumber: 2, task: {retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 0}, pod: {spec: {
		restartPolicy: Never, nodeSelector: {example.com/only: contested}, tolerations: [{key: example.com/only, operator: Exists}],
		containers: [{name: c, image: app, resources: {requests: {cpu: "1"}}}]}}}}]}`)
	s.awaitAllRunning("lower", 2)
	s.kubectl("run", "urgent", "--image=app", "--restart=Never", `--overrides={"spec": {"priorityClassName": "preemption-urgent",
		"nodeSelector": {"example.com/only": "contested"}, "tolerations": [{"key": "example.com/only", "operator": "Exists"}],
		"containers": [{"name": "urgent", "image": "app", "resources": {"requests": {"cpu": "1"}}}]}}`)
	f := s.await("lower", "retried", func(f *v1.FrameworkStatus) bool { return retriedTasks(f) > 0 || f.State == v1.Completed })
	require.Equal(t, 1, retriedTasks(f.Status), describe(f.Status))
	s.kubectl("delete", "pod", "urgent", "--wait=false")
	f = s.awaitAllRunning("lower", 2)
	require.Equal(t, 1, retriedTasks(f.Status), describe(f.Status))
	for i := range 2 {
		require.Zero(t, task(f.Status, "a", i).RetryPolicyStatus.AccountableRetriedCount)
		for _, earlier := range task(f.Status, "a", i).EarlierAttempts {
			require.EqualValues(t, -101, earlier.Code)
		}
	}
	s.kubectl("delete", "fw", "lower", "--cascade=foreground", fmt.Sprintf("--timeout=%s", patience)) // while its node exists
}

func retriedTasks(f *v1.FrameworkStatus) (n int) {
	for _, t := range f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		if t.RetryPolicyStatus.TotalRetriedCount > 0 {
			n++
		}
	}
	return n
}
