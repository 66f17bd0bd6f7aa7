package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// deadlined is a spec with one Task that has such a startDeadline.
func deadlined(deadline, more, pod string) string {
	return fmt.Sprintf(`{taskRoles: [{name: a, taskNumber: 1, task: {startDeadline: %s, %s pod: %s}}]}`, deadline, more, pod)
}

// firstTask returns the first Task of role a, or an empty one if it does not exist yet.
func firstTask(f *v1.FrameworkStatus) *v1.TaskStatus {
	if t := task(f, "a", 0); t != nil {
		return t
	}
	return &v1.TaskStatus{}
}

// awaitTime returns when it is that time: something was to happen before.
func (s *story) awaitTime(t time.Time) {
	s.t.Helper()
	s.eventually(func(context.Context) error {
		if left := time.Until(t); left > 0 {
			return fmt.Errorf("it is %s before its time", left)
		}
		return nil
	})
}

// requireDeadline checks how the only Task of a Framework has ended, and how that is reported.
func (s *story) requireDeadline(name, outcome string, says ...string) {
	s.t.Helper()
	f := s.awaitState(name, v1.Completed, 0)
	if got, want := describe(f.Status), failedAs(outcome); got != want {
		s.t.Errorf("got:\n%swant:\n%s", got, want)
	}
	said := firstTask(f.Status).AttemptStatus.CompletionStatus.Diagnostics
	for _, want := range says {
		if !strings.Contains(said, want) {
			s.t.Errorf("the diagnostics do not have %q: %s", want, said)
		}
	}
}

// A Pod for which the scheduler finds no node fails in time, with the scheduler's message.
func TestUnscheduledDeadline(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	// Long enough for a busy scheduler to have looked at the Pod.
	s.create("late", deadlined(`{unscheduledSec: 15}`, "", nowhere()))
	s.requireDeadline("late", "code=-130 PodUnschedulable",
		"startDeadline.unscheduledSec of 15 s is over: no node was found: 0/", "didn't match Pod's node affinity/selector")
	s.requireNothingOf("late")
}

// It is a conflict: a fancy policy of the Task keeps retrying, and no retry is counted.
func TestUnscheduledDeadlineIsRetried(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("late", deadlined(`{unscheduledSec: 2}`, `retryPolicy: {fancyRetryPolicy: true},`, nowhere()))
	s.await("late", "in its third attempt", func(f *v1.FrameworkStatus) bool {
		// With its Pod, because the garbage collector may miss a Pod that is created in the moment in which the story deletes the
		// Framework.
		r := firstTask(f).RetryPolicyStatus
		return r.TotalRetriedCount >= 2 && r.AccountableRetriedCount == 0 && firstTask(f).State == v1.AttemptPreparing
	})
}

// Time under scheduling gates does not count.
func TestGatedPodHasNoDeadline(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	gated := strings.Replace(nowhere(), "spec: {", "spec: {schedulingGates: [{name: example.com/queue}], ", 1)
	s.create("gated", deadlined(`{unscheduledSec: 2}`, "", gated))
	// The condition is set three seconds after the time would have been over.
	s.awaitCondition("gated", v1.ConditionWaiting, metav1.ConditionTrue, "SchedulingGated")
	f := s.awaitState("gated", v1.AttemptPreparing, 0)
	if a := firstTask(f.Status).AttemptStatus; a.CompletionStatus != nil || a.PendingSince != nil {
		t.Errorf("the time has begun: %+v", a)
	}
	s.patchPod("gated-a-0", `{"spec":{"schedulingGates":null}}`)
	s.requireDeadline("gated", "code=-130 PodUnschedulable", "unscheduledSec of 2 s")
}

// Problems that kubelets report with images and containers fail in time, each with its own code and the kubelet's message.
func TestKubeletDeadlines(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		deadline, reason, message, outcome, says string
	}{
		"image":  {`{imagePullSec: 3, containerCreateSec: 1}`, "ErrImagePull", "app: not found", "code=-131 PodImagePullFailed", "the image of container c is not pulled"},
		"create": {`{imagePullSec: 1, containerCreateSec: 3}`, "CreateContainerConfigError", `secret "s" not found`, "code=-132 PodContainerCreateFailed", "container c does not start"},
		"other":  {`{imagePullSec: 1, notRunningSec: 6}`, "ContainerCreating", "", "code=-133 PodStartTimeout", "no container has started since"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.create("late", deadlined(test.deadline, "", pod("hold", "true")))
			s.hinderPod("late-a-0", test.reason, test.message)
			s.requireDeadline("late", test.outcome, test.says, test.message)
			s.requireNothingOf("late")
		})
	}
}

// An image that is pulled in time is no failure, however often the pull has failed in two ways before. The Pod runs, and no time is left in
// the status.
func TestImageComesInTime(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("slow", deadlined(`{imagePullSec: 20, notRunningSec: 60}`, "", pod("hold", "true")))
	s.hinderPod("slow-a-0", "ErrImagePull", "timeout")
	f := s.await("slow", "counting", func(f *v1.FrameworkStatus) bool { return pulls(f) != nil })
	since := *pulls(f.Status)
	s.hinderPod("slow-a-0", "ImagePullBackOff", "Back-off pulling image")
	s.awaitCondition("slow", v1.ConditionWaiting, metav1.ConditionTrue, "ImageNotPulled")
	f = s.awaitState("slow", v1.AttemptPreparing, 0)
	if again := pulls(f.Status); again == nil || !again.Equal(&since) {
		t.Errorf("the time began at %s, and then at %v", since, again)
	}
	s.unholdPod("slow-a-0")
	f = s.awaitAllRunning("slow", 1)
	if p := firstTask(f.Status).AttemptStatus.PendingSince; p != nil {
		t.Errorf("it runs, and the time goes on: %+v", p)
	}
}

// pulls is since when the image of the only Task is not pulled.
func pulls(f *v1.FrameworkStatus) *metav1.Time {
	if p := firstTask(f).AttemptStatus.PendingSince; p != nil {
		return p.ImagePull
	}
	return nil
}

// Time in an init container, such as the barrier, does not count.
func TestInitContainerHasNoDeadline(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	held := strings.Replace(pod("hold", "true"), "containers:", "initContainers: [{name: i, image: app}], containers:", 1)
	s.create("inits", deadlined(`{notRunningSec: 4}`, "", held))
	s.writePodStatusOnce("inits-a-0", "on a node", hasNode, func(status *corev1.PodStatus) {
		now := metav1.Now()
		status.StartTime = &now
		status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "i", Image: "app",
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}}}
	})
	s.await("inits", "not counting", func(f *v1.FrameworkStatus) bool {
		a := firstTask(f).AttemptStatus
		return a.PodNodeName != nil && *a.PodNodeName != "" && a.PendingSince == nil && a.CompletionStatus == nil
	})
	s.writePodStatusOnce("inits-a-0", "on a node", hasNode, func(status *corev1.PodStatus) {
		status.InitContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "Completed", StartedAt: metav1.Now(), FinishedAt: metav1.Now()}}
	})
	s.requireDeadline("inits", "code=-133 PodStartTimeout", "notRunningSec of 4 s")
}

// A controller that takes over keeps counting where the previous one has stopped. Not parallel: it ends the controller.
func TestStartDeadlineOverTakeover(t *testing.T) {
	s := newStory(t)
	s.create("late", deadlined(`{imagePullSec: 15}`, "", pod("hold", "true")))
	s.hinderPod("late-a-0", "ErrImagePull", "app: not found")
	f := s.await("late", "counting", func(f *v1.FrameworkStatus) bool { return pulls(f) != nil })
	began := *pulls(f.Status)
	awaitStarted(t)
	controller.down(t, func() {})
	f = s.awaitState("late", v1.Completed, 0)
	a := firstTask(f.Status).AttemptStatus
	if !a.PendingSince.ImagePull.Equal(&began) || a.CompletionTime.Sub(began.Time).Seconds() < 15 {
		t.Errorf("began at %s, then at %s, and has ended at %s", began, a.PendingSince.ImagePull, a.CompletionTime)
	}
	s.requireDeadline("late", "code=-131 PodImagePullFailed", "imagePullSec of 15 s", "not found")
}

// If many Tasks time out in the same second, each has its own end, and none is left behind, though the Framework is rescaled and stopped
// meanwhile.
func TestManyDeadlinesAtOnce(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("many", `{taskRoles: [{name: a, taskNumber: 100, frameworkAttemptCompletionPolicy: {minFailedTaskCount: -1},
		task: {startDeadline: {unscheduledSec: 5}, retryPolicy: {fancyRetryPolicy: true}, pod: `+nowhere()+`}}]}`)
	s.await("many", "retried", func(f *v1.FrameworkStatus) bool {
		last := task(f, "a", 99)
		return last != nil && last.RetryPolicyStatus.TotalRetriedCount > 0
	})
	s.patch("many", scaleTo(50))
	s.await("many", "smaller", func(f *v1.FrameworkStatus) bool { return countTasks(f) == 50 })
	s.patch("many", `spec: {executionType: Stop}`)
	s.awaitState("many", v1.Completed, 0)
	s.requireNothingOf("many")
}

// A plugin that judges Pods which do not get to run is asked before the deadline: it gives one up, and lets another take longer.
func TestPluginJudgesPendingPods(t *testing.T) {
	withPlugins(t, `
- {name: go, kind: FailureClassifier, command: go-classifier}
- {name: podpattern, kind: FailureClassifier, command: classifier-podpattern}
`)
	t.Run("all", func(t *testing.T) { // ends when its parts have, and only then the configuration is put back
		t.Run("gives up", func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.create("late", deadlined(`{imagePullSec: 3600}`, "", pod("hold", "true")))
			s.hinderPod("late-a-0", "ErrImagePull", "manifest for app:v9 not found")
			s.requireDeadline("late", "code=1000 ImageNotFound", "app:v9 not found")
			f := s.awaitState("late", v1.Completed, 0)
			requireSource(s, "of the verdict", firstTask(f.Status).AttemptStatus.CompletionStatus.Source,
				&v1.CompletionSource{Plugin: "go", Version: "1.2.0", Rule: "image not found"})
		})
		t.Run("waits longer", func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.create("slow", deadlined(`{imagePullSec: 2}`, "", pod("hold", "true")))
			s.hinderPod("slow-a-0", "ErrImagePull", "toomanyrequests: slow down")
			f := s.await("slow", "counting", func(f *v1.FrameworkStatus) bool { return pulls(f) != nil })
			s.awaitTime(pulls(f.Status).Add(6 * time.Second))
			s.unholdPod("slow-a-0")
			s.awaitAllRunning("slow", 1)
		})
		t.Run("has no opinion", func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.create("late", deadlined(`{imagePullSec: 3}`, "", pod("hold", "true")))
			s.hinderPod("late-a-0", "ErrImagePull", "no route to host")
			s.requireDeadline("late", "code=-131 PodImagePullFailed", "no route to host")
		})
		t.Run("is not asked without a deadline", func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.create("waits", roleOf(1, pod("hold", "true")))
			s.hinderPod("waits-a-0", "ErrImagePull", "manifest for app:v9 not found")
			s.awaitCondition("waits", v1.ConditionWaiting, metav1.ConditionTrue, "ImageNotPulled")
			if f := s.awaitState("waits", v1.AttemptPreparing, 0); firstTask(f.Status).AttemptStatus.CompletionStatus != nil {
				t.Error(describe(f.Status))
			}
			s.unholdPod("waits-a-0")
			s.awaitAllRunning("waits", 1)
		})
	})
}
