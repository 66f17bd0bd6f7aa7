package e2enode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/test/node"
)

// The Deployment restarts the controller when its Pod is deleted, and the next one takes over the Frameworks.
func TestControllerReplaced(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("replaced")
	s.awaitRunning("replaced", 3)
	before := s.controller()
	s.kubectl("delete", "pod", before.Name, "--namespace="+node.ControllerNamespace)
	for i := range 3 {
		s.kubectl("exec", fmt.Sprintf("replaced-a-%d", i), "--", "touch", "/tmp/end")
	}
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

// controller returns the Pod of the leading controller. All are ready by their probes.
func (s *story) controller() *corev1.Pod {
	s.t.Helper()
	require.NoError(s.t, awaitController(s.t.Context()))
	pods, err := core.CoreV1().Pods(node.ControllerNamespace).List(s.t.Context(), metav1.ListOptions{})
	require.NoError(s.t, err)
	for i := range pods.Items {
		if strings.Contains(s.metrics(&pods.Items[i]), "\nframeworkcontroller_leader 1\n") {
			return &pods.Items[i]
		}
	}
	s.t.Fatalf("none of %d controllers leads", len(pods.Items))
	return nil
}

// metrics returns the metrics as a Prometheus would read them.
func (s *story) metrics(controller *corev1.Pod) string {
	s.t.Helper()
	const path = "/api/v1/namespaces/%s/pods/%s:8080/proxy/metrics"
	return s.kubectl("get", "--raw", fmt.Sprintf(path, node.ControllerNamespace, controller.Name))
}

func (s *story) requireMetrics(controller *corev1.Pod) {
	s.t.Helper()
	page := s.metrics(controller)
	for _, want := range []string{"frameworks{", "tasks{", "workqueue_depth"} {
		if !strings.Contains(page, "\nframeworkcontroller_"+want) {
			s.t.Errorf("the metrics have no %s:\n%s", want, page)
		}
	}
}
