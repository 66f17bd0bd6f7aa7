package controller

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// The containers that complete a Pod end a Task although another container is still running: its Pod is deleted after the end is
// stored.
func TestCompletionContainers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ exit, want int32 }{"success": {0, 0}, "failure": {7, 7}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.create("a", tasks(1), template(`{"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "none"}, {"name": "proxy", "image": "none"}]}}`),
				func(s *v1.FrameworkSpec) { s.TaskRoles[0].Task.CompletionContainers = []string{"main"} })
			w.runs("a")
			w.Edit(apitest.Pods, "a-w-0", func(pod *unstructured.Unstructured) {
				statuses := []any{
					map[string]any{"name": "main", "state": map[string]any{"terminated": map[string]any{"exitCode": int64(test.exit), "finishedAt": "2024-01-01T00:00:00Z"}}},
					map[string]any{"name": "proxy", "state": map[string]any{"running": map[string]any{}}},
				}
				if err := unstructured.SetNestedSlice(pod.Object, statuses, "status", "containerStatuses"); err != nil {
					panic(err)
				}
			})
			w.reaches("a", v1.Completed)
			s := w.task("a", "w", 0).AttemptStatus.CompletionStatus
			if s.Code != test.want || len(s.Pod.Containers) != 1 || s.Pod.Containers[0].Name != "main" {
				t.Errorf("it ended as %+v %+v", s.CompletionStatus, s.Pod)
			}
			w.requireRequests("delete pods a-w-0", 1)
		})
	}
}
