package e2enode

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// While a kubelet is away, its containers keep running, and the control plane gives the Node up for lost. That does not affect Frameworks;
// the events in between are noticed when the kubelet is back. The test is not parallel, because the others need a kubelet.
func TestKubeletOutage(t *testing.T) {
	s := newStory(t)
	s.apply("outage")
	pods := []string{"outage-short-0", "outage-short-1", "outage-long-0", "outage-long-1"}
	uids := map[string]string{}
	for _, pod := range pods {
		uids[pod] = string(s.awaitPod(pod, "running", running).UID)
	}
	require.NoError(t, real.KillKubelet())
	require.NoError(t, real.AwaitReady(t.Context(), corev1.ConditionUnknown))
	for _, pod := range pods[:2] {
		s.until(pod+" has ended", func(context.Context) bool { return strings.HasSuffix(s.log(pod, "app"), "ended\n") })
	}
	s.awaitRunning("outage", 4) // as if nothing had happened
	require.NoError(t, real.RestartKubelet(t.Context()))
	require.NoError(t, real.AwaitReady(t.Context(), corev1.ConditionTrue))
	f := s.awaitCompleted("outage")
	s.requireOutcome("the Framework", f.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	for _, role := range f.AttemptStatus.TaskRoleStatuses {
		for _, task := range role.TaskStatuses {
			pod := v1.PodName("outage", role.Name, task.Index)
			if got := string(*task.AttemptStatus.PodUID); got != uids[pod] || task.RetryPolicyStatus.TotalRetriedCount != 0 {
				t.Errorf("%s was replaced: it had UID %s, now %s", pod, uids[pod], got)
			}
			if got := s.log(pod, "app"); got != "began\nended\n" {
				t.Errorf("%s has logged %q", pod, got)
			}
		}
	}
}
