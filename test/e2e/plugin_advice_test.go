package e2e

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A plugin advises that all Tasks of the role restart after a failure, within seconds, against the policy. The delay of the policy, an
// hour, is not waited for, and the server beside the workers keeps running.
func TestVerdictDirectsTheRetry(t *testing.T) {
	withPlugins(t, `
- {name: go, kind: FailureClassifier, command: go-classifier, parameters: {restart: Role, delaySeconds: 5}}
`)
	s := newStory(t)
	s.create("advised", `{taskRoles: [
		{name: w, taskNumber: 3, task: {retryPolicy: {maxRetryCount: 1, backoff: {initialDelaySec: 3600, maxDelaySec: 3600}}, pod: `+pod()+`}},
		{name: ps, taskNumber: 1, task: {pod: `+pod()+`}}]}`)
	s.awaitAllRunning("advised", 4)
	server := s.uidOf("advised-ps-0")
	s.endPod("advised-w-1", 42)

	f := s.await("advised", "waiting for its retry", func(f *v1.FrameworkStatus) bool { return task(f, "w", 1).RetryPolicyStatus.RetryDelaySec != nil })
	failed := task(f.Status, "w", 1)
	advice := failed.AttemptStatus.CompletionStatus.Advice
	if advice == nil || advice.Restart != v1.RestartRole || advice.DelaySec == nil || *advice.DelaySec != 5 || *failed.RetryPolicyStatus.RetryDelaySec != 5 {
		t.Errorf("the advice is %+v, and the delay %d s", advice, *failed.RetryPolicyStatus.RetryDelaySec)
	}
	ended := failed.AttemptStatus.CompletionTime

	f = s.await("advised", "all workers in their second attempt", func(f *v1.FrameworkStatus) bool {
		return task(f, "w", 0).AttemptStatus.ID == 1 && f.Tasks.Running == 4
	})
	requireRoleRestarted(t, f.Status)
	for i := range 3 {
		if waited := task(f.Status, "w", i).AttemptStatus.StartTime.Sub(ended.Time).Seconds(); waited < 5 {
			t.Errorf("w-%d started again after %g s", i, waited)
		}
	}
	if uid := s.uidOf("advised-ps-0"); uid != server {
		t.Errorf("the server was Pod %s, and is %s", server, uid)
	}
}
