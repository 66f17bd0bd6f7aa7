package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// withAdditions uses all features unknown to the original that are kept in the status, or in objects of their own.
var withAdditions = `{network: {dns: true}, ssh: {mountPath: /root/.ssh},
	retryPolicy: {maxRetryCount: 3, window: {failures: 2, withinSec: 86400}, budgets: [{code: 9, maxRetryCount: 0}]},
	taskRoles: [
		{name: init, task: {pod: ` + pod("run-for", "0s") + `}},
		{name: worker, taskNumber: 2, retryPolicy: {maxRetryCount: 1}, startAfter: [{role: init, when: Succeeded}], task: {
			startDeadline: {unscheduledSec: 3600, imagePullSec: 3600, containerCreateSec: 3600, notRunningSec: 3600},
			retryPolicy: {maxRetryCount: 5, restart: Role, window: {failures: 3, withinSec: 86400}, budgets: [{code: 9, maxRetryCount: 1}],
				avoidNodes: {mode: Prefer, forSec: 86400, maxNodes: 2}}, pod: ` + pod() + `}},
		{name: launcher, startAfter: [{role: worker, when: Running}], task: {
			pod: {spec: {restartPolicy: Never, initContainers: [{name: barrier, image: barrier}], containers: [{name: c, image: app}]}}}}]}`

// additions are the parts of a Framework that the original does not know.
type additions struct {
	avoided         []v1.AvoidedNode
	gates           *v1.RoleGates
	workers         []v1.TaskStatus
	roleRetried     int32
	service, secret types.UID
}

// useAdditions has a Framework use them: workers start again together, twice, for failures of two causes, and once more by
// the policy of their role.
func (s *story) useAdditions(name string) additions {
	s.t.Helper()
	s.awaitAttemptOfWorkers(name, 0)
	s.endPod(name+"-worker-1", 9)
	s.awaitAttemptOfWorkers(name, 1)
	s.endPod(name+"-worker-0", 8)
	s.awaitAttemptOfWorkers(name, 2)
	s.endPod(name+"-worker-1", 9)
	s.awaitAttemptOfWorkers(name, 3)
	return s.additionsOf(name)
}

// awaitAttemptOfWorkers waits until workers and launcher run, the workers in that attempt.
func (s *story) awaitAttemptOfWorkers(name string, attempt int32) {
	s.t.Helper()
	s.await(name, "running", func(f *v1.FrameworkStatus) bool {
		return f.Tasks.Running == 3 && f.Gates != nil && len(f.Gates.Open) == 2 && task(f, "worker", 0).AttemptStatus.ID == attempt
	})
}

func (s *story) additionsOf(name string) (a additions) {
	s.t.Helper()
	f := s.await(name, "there", func(*v1.FrameworkStatus) bool { return true })
	a.avoided, a.gates = f.Status.AvoidedNodes, f.Status.Gates
	for i := range 2 {
		a.workers = append(a.workers, *task(f.Status, "worker", i))
	}
	for _, role := range f.Status.AttemptStatus.TaskRoleStatuses {
		a.roleRetried += role.RetriedCount
	}
	a.service = until(s, theServices, name, "there", func(*corev1.Service) bool { return true }).UID
	a.secret = until(s, theSecrets, name+"-ssh", "there", func(*corev1.Secret) bool { return true }).UID
	return a
}

// requireAdditions: none of them is lost, and they remain in effect: one budget is used up, and so is the only retry of the role, so the
// next failure with that cause is the last.
func (s *story) requireAdditions(name string, was additions) {
	s.t.Helper()
	require.Equal(s.t, was, s.additionsOf(name))
	s.endPod(name+"-worker-1", 9)
	s.requireEnds(name, `
Completed attempt=0 retried=0/0 code=9 ContainerUnrecognizedFailed trigger=worker-1
init-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=3/1 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=3/0 code=9 ContainerUnrecognizedFailed
launcher-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`)
}

// requireUsed: an unused addition would make the test pointless.
func (a additions) requireUsed(t *testing.T) {
	t.Helper()
	retried := func(i int) *v1.RetryPolicyStatus { return &a.workers[i].RetryPolicyStatus }
	if len(a.avoided) == 0 || a.gates == nil ||
		len(a.workers[0].EarlierAttempts) != 3 || a.roleRetried != 1 || len(retried(0).RecentFailures) != 1 || len(retried(1).Budgets) != 1 {
		t.Fatalf("not all that the original does not know is used: %+v", a)
	}
}
