package e2enode

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The Deployment starts the controller again when its Pod is deleted, and the next one takes over what it finds.
func TestControllerReplaced(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("replaced")
	s.awaitRunning("replaced", 3)
	before := s.controller()
	s.kubectl("delete", "pod", before.Name, "--namespace="+controllerNamespace)
	f := s.awaitCompleted("replaced")
	s.requireOutcome("the Framework", f.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	for i := range 3 {
		if got := s.log(fmt.Sprintf("replaced-a-%d", i), "app"); got != "began\nended\n" {
			t.Errorf("Task %d has logged %q", i, got)
		}
	}
	after := s.controller()
	if after.UID == before.UID {
		t.Errorf("%s was not replaced", after.Name)
	}
	s.requireMetrics(after)
}

// controller returns the Pod of the controller, of which there must be one that is ready, as its probes say.
func (s *story) controller() *corev1.Pod {
	s.t.Helper()
	if err := awaitController(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	pods, err := core.CoreV1().Pods(controllerNamespace).List(s.t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) != 1 {
		s.t.Fatalf("there are %d Pods of the controller, want 1: %v", len(pods.Items), err)
	}
	return &pods.Items[0]
}

// requireMetrics reads what a Prometheus would.
func (s *story) requireMetrics(controller *corev1.Pod) {
	s.t.Helper()
	const path = "/api/v1/namespaces/%s/pods/%s:8080/proxy/metrics"
	page := s.kubectl("get", "--raw", fmt.Sprintf(path, controllerNamespace, controller.Name))
	for _, want := range []string{"frameworks{", "tasks{", "workqueue_depth"} {
		if !strings.Contains(page, "\nframeworkcontroller_"+want) {
			s.t.Errorf("the metrics have no %s:\n%s", want, page)
		}
	}
}
