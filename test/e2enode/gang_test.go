package e2enode

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const exampleDir = "../../example/framework/"

// The unchanged example of the barrier: no app begins before all Tasks have an address, and all see the same ones.
func TestBarrierExample(t *testing.T) {
	t.Parallel()
	s := storyIn(t, "default") // the namespace in the example
	s.applyFile(exampleDir + "frameworkbarrier.yaml")
	const name = "frameworkbarrier"
	f := s.awaitRunning(name, 20)
	pods := s.podsOf(name, 20)
	servers, workers := addresses(f.Status, "server"), addresses(f.Status, "worker")
	want := fmt.Sprintf("for requests: %s and %s\nfor metrics: %s and %s\n",
		withPort(servers, 4001), withPort(workers, 5001), withPort(servers, 4002), withPort(workers, 5002))
	for _, pod := range pods {
		s.until(pod.Name+" tells the addresses that it was given", func(context.Context) bool {
			return saidOnly(s.log(pod.Name, "app"), "for ") == want
		})
	}
	s.requireTogether(pods)
	done := s.awaitCompleted(name)
	s.requireOutcome("the Framework", done.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
}

// podsOf returns the Pods of a Framework, which must be that many.
func (s *story) podsOf(framework string, n int) []corev1.Pod {
	s.t.Helper()
	pods, err := s.pods.List(s.t.Context(), metav1.ListOptions{LabelSelector: v1.KeyFrameworkName + "=" + framework})
	require.NoError(s.t, err)
	if len(pods.Items) != n {
		s.t.Fatalf("%s has %d Pods, want %d", framework, len(pods.Items), n)
	}
	return pods.Items
}

// requireTogether checks that no app began before the last barrier did, as a Pod has an address by then. Both have
// written a line.
func (s *story) requireTogether(pods []corev1.Pod) {
	s.t.Helper()
	var last time.Time
	for _, pod := range pods {
		began := real.Began(s.namespace, pod.Name, "barrier")
		if began.IsZero() {
			s.t.Errorf("the barrier in %s has written nothing", pod.Name)
		}
		if began.After(last) {
			last = began
		}
	}
	for _, pod := range pods {
		if began := real.Began(s.namespace, pod.Name, "app"); began.Before(last) {
			s.t.Errorf("the app in %s began at %s, before the last barrier did at %s", pod.Name, began, last)
		}
	}
}

// addresses returns the addresses of a role's Tasks, in order.
func addresses(f *v1.FrameworkStatus, role string) []string {
	var found []string
	for _, r := range f.AttemptStatus.TaskRoleStatuses {
		for _, task := range r.TaskStatuses {
			if r.Name == role && task.AttemptStatus.PodIP != nil {
				found = append(found, *task.AttemptStatus.PodIP)
			}
		}
	}
	return found
}

func withPort(ips []string, port int) string {
	var found []string
	for _, ip := range ips {
		found = append(found, fmt.Sprintf("%s:%d", ip, port))
	}
	return strings.Join(found, ",")
}

// saidOnly are the lines of a log that begin so.
func saidOnly(log, prefix string) string {
	var found strings.Builder
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, prefix) {
			found.WriteString(line)
		}
	}
	return found.String()
}

// Workers connect to servers at the addresses that they were given. They would fail if that led elsewhere.
func TestParameterServer(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.applyFile(exampleDir + "parameterserver.yaml")
	f := s.awaitCompleted("parameterserver")
	s.requireOutcome("the Framework", f.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	servers := addresses(f, "ps")
	for i := range 3 {
		want := fmt.Sprintf("part 1 is at %s:4001\npart 2 is at %s:4001\n", servers[0], servers[1])
		if got := saidOnly(s.log(fmt.Sprintf("parameterserver-worker-%d", i), "worker"), "part "); got != want {
			t.Errorf("worker %d said:\n%swant:\n%s", i, got, want)
		}
	}
	for i, task := range f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		end := task.AttemptStatus.CompletionStatus.CompletionStatus
		s.requireOutcome(fmt.Sprintf("ps-%d", i), end, -220, "FrameworkAttemptCompletion")
	}
}

// A manifest that was written for the original barrier works, image name aside.
func TestOriginal(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("original")
	f := s.awaitCompleted("original")
	s.requireOutcome("the Framework", f.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	servers, workers := addresses(f, "server"), addresses(f, "worker")
	want := fmt.Sprintf("%s %s\n%s %s\n",
		withPort(servers, 4001), withPort(workers, 5001), withPort(servers, 4002), withPort(workers, 5002))
	for _, pod := range []string{"original-server-0", "original-server-1"} {
		log := s.log(pod, "app")
		if got := saidOnly(log, "10."); got != want {
			t.Errorf("%s was given:\n%swant:\n%s", pod, got, want)
		}
		handed := &v1.Framework{}
		err := json.Unmarshal([]byte(saidOnly(log, "{")), handed)
		if err != nil || handed.Name != "original" || handed.Status == nil {
			t.Errorf("%s has no framework.json: %v\n%s", pod, err, log)
		}
	}
}

// A gang with a member for which there is no node gives up together, makes room for others, and comes back later.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("incomplete")
	f := s.await("incomplete", "saying who is late", func(f *v1.FrameworkStatus) bool {
		c := condition(f, v1.ConditionWaiting)
		return c != nil && c.Status == metav1.ConditionTrue && strings.Contains(c.Message, "example.com/accelerator")
	})
	c := condition(f.Status, v1.ConditionWaiting)
	if c.Reason != "Unschedulable" || !strings.Contains(c.Message, "incomplete-big-0") {
		t.Errorf("the Framework waits because of %s: %s", c.Reason, c.Message)
	}
	f = s.await("incomplete", "backing off", func(f *v1.FrameworkStatus) bool {
		return f.State == v1.AttemptCompleted && f.RetryPolicyStatus.RetryDelaySec != nil
	})
	end := f.Status.AttemptStatus.CompletionStatus
	s.requireOutcome("the attempt", end.CompletionStatus, 201, "ContainerTransientConflictFailed")
	if delay := *f.Status.RetryPolicyStatus.RetryDelaySec; delay < 60 || delay > 900 {
		t.Errorf("it is tried again after %d s, want 60 to 900", delay)
	}
	if got := end.Diagnostics + smallDiagnostics(f.Status); !strings.Contains(got, "late: incomplete-big-0") {
		t.Errorf("nothing says who was late:\n%s", got)
	}
	s.podsOf("incomplete", 0)
	if got := real.Logs(s.namespace); strings.Contains(got, "must not happen") {
		t.Errorf("an app has run:\n%s", got)
	}
}

func smallDiagnostics(f *v1.FrameworkStatus) string {
	var found []string
	for _, task := range f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		found = append(found, task.AttemptStatus.CompletionStatus.Diagnostics)
	}
	return strings.Join(found, "\n")
}
