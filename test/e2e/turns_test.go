package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Two of six Tasks have a Pod at a time. A new leader continues with them; a higher and a lower parallelism take effect while it runs.
func TestTasksTakeTurns(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("turns", `{taskRoles: [{name: w, taskNumber: 6, parallelism: 2, task: {pod: `+pod()+`}}]}`)
	most := 2
	ended := func(index int) {
		s.endPod(fmt.Sprintf("turns-w-%d", index), 0)
		s.await("turns", fmt.Sprintf("Task %d succeeded", index), func(f *v1.FrameworkStatus) bool { return task(f, "w", index).State == v1.Completed })
		list, err := s.pods.List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		if len(list.Items) > most {
			t.Errorf("there are %d Pods, and %d may be there", len(list.Items), most)
		}
	}
	running := func(n, waiting int32) {
		s.await("turns", fmt.Sprintf("%d running, %d waiting", n, waiting), func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == n && f.Tasks.Waiting == waiting })
	}
	running(2, 4)
	ended(1)
	running(2, 3)

	most = 3
	s.patch("turns", `[{op: replace, path: /spec/taskRoles/0/parallelism, value: 3}]`)
	running(3, 2)
	s.patch("turns", `[{op: replace, path: /spec/taskRoles/0/parallelism, value: 1}]`)
	ended(0)
	ended(2)
	f := s.await("turns", "one Task running alone", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 1 })
	if f.Status.Tasks.Waiting != 2 || task(f.Status, "w", 3).State != v1.AttemptRunning {
		t.Errorf("%d Tasks wait, and Task 3 is %s", f.Status.Tasks.Waiting, task(f.Status, "w", 3).State)
	}
	most = 1
	for i := 3; i < 6; i++ {
		running(1, int32(5-i))
		ended(i)
	}
	s.awaitState("turns", v1.Completed, 0)
}
