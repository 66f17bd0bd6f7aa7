package e2e

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// uidOf returns the UID of an existing Pod.
func (s *story) uidOf(pod string) types.UID {
	s.t.Helper()
	p, err := s.pods.Get(s.t.Context(), pod, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return p.UID
}

// A worker fails: all workers start again with it, the server beside them runs on, and the gate has been closed until all
// have addresses again. The second failure is one too many for the Task, and so for the attempt.
func TestRoleRestart(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("together", `{taskRoles: [
		{name: w, taskNumber: 3, task: {retryPolicy: {maxRetryCount: 1, restart: Role}, pod: `+pod()+`}},
		{name: ps, taskNumber: 1, task: {pod: `+pod()+`}}]}`)
	s.await("together", "its gate open", func(f *v1.FrameworkStatus) bool { return f.Gate != "" && f.Tasks.Running == 4 })
	server, configMap := s.uidOf("together-ps-0"), s.await("together", "there", func(*v1.FrameworkStatus) bool { return true }).Status.AttemptStatus.ConfigMapUID
	s.endPod("together-w-1", 9)
	f := s.await("together", "all workers in their second attempt", func(f *v1.FrameworkStatus) bool {
		return task(f, "w", 0).AttemptStatus.ID == 1 && f.Gate != "" && f.Tasks.Running == 4
	})
	requireRoleRestarted(t, f.Status)
	if uid := s.uidOf("together-ps-0"); uid != server || *f.Status.AttemptStatus.ConfigMapUID != *configMap {
		t.Errorf("the server was Pod %s, and is %s", server, uid)
	}
	for i, code := range []int32{-240, 9, -240} {
		if e := task(f.Status, "w", i).EarlierAttempts; len(e) != 1 || e[0].Code != code || e[0].ID != 0 || e[0].RunTime == nil {
			t.Errorf("of w-%d is kept: %+v", i, e)
		}
	}
	s.endPod("together-w-2", 9)
	s.await("together", "all workers in their third attempt", func(f *v1.FrameworkStatus) bool {
		return task(f, "w", 1).AttemptStatus.ID == 2 && f.Tasks.Running == 4
	})
	s.endPod("together-w-2", 9)
	f = s.awaitState("together", v1.Completed, 0)
	if s := f.Status.AttemptStatus.CompletionStatus; s.Code != 9 || s.Trigger == nil || s.Trigger.TaskIndex != 2 {
		t.Errorf("it ended with %+v", s)
	}
}

// A scale-down, a suspension and a stop in the middle of a restart, while one of its Pods is slow to terminate.
func TestRoleRestartInterrupted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		patch string
		done  func(*v1.FrameworkStatus) bool
	}{
		"rescaled": {scaleTo(1), func(f *v1.FrameworkStatus) bool {
			return f.State == v1.AttemptRunning && countTasks(f) == 1 && f.Tasks.Running == 1 && task(f, "a", 0).AttemptStatus.ID == 1
		}},
		"suspended": {`[{op: add, path: /spec/suspend, value: true}]`, func(f *v1.FrameworkStatus) bool {
			return f.State == v1.AttemptCompleted && f.AttemptStatus.CompletionStatus.Code == -250
		}},
		"stopped": {`[{op: replace, path: /spec/executionType, value: Stop}]`, func(f *v1.FrameworkStatus) bool {
			return f.State == v1.Completed && f.AttemptStatus.CompletionStatus.Code == -210
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.create(name, `{taskRoles: [{name: a, taskNumber: 3, task: {retryPolicy: {maxRetryCount: 1, restart: Role, backoff: {initialDelaySec: 3}}, pod: `+pod()+`}}]}`)
			s.awaitAllRunning(name, 3)
			s.holdPod(name + "-a-1")
			s.endPod(name+"-a-0", 9)
			s.await(name, "starting again", func(f *v1.FrameworkStatus) bool {
				return task(f, "a", 0).RetryPolicyStatus.RetryDelaySec != nil && task(f, "a", 2).AttemptStatus.Restart != nil
			})
			s.patch(name, test.patch)
			s.removePodFinalizers(name + "-a-1")
			s.await(name, name, test.done)
		})
	}
}

// requireRoleRestarted checks that the workers of role w have started again together after w-1 has failed, and the server has
// not.
func requireRoleRestarted(t *testing.T, status *v1.FrameworkStatus) {
	t.Helper()
	if got, want := describe(status), `AttemptRunning attempt=0 retried=0/0
w-0 AttemptRunning retried=1/0
w-1 AttemptRunning retried=1/1
w-2 AttemptRunning retried=1/0
ps-0 AttemptRunning retried=0/0
`; got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}
