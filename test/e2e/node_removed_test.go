package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// A node is removed with 200 Pods on it. Kubernetes' garbage collector of Pods fails them and deletes them, at its own pace, which is slow
// enough for many of them to be seen failed. None of these ends is counted, and none ends the Framework.
func TestNodeIsRemoved(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	const tasks = 200
	node := s.ownNode()
	s.create("spot", fmt.Sprintf(`{taskRoles: [{name: a, taskNumber: %d, task: {retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 0},
		pod: {spec: {restartPolicy: Never, nodeSelector: {kubernetes.io/hostname: %s}, tolerations: [{key: example.com/own, operator: Exists}],
			containers: [{name: c, image: app}]}}}}]}`, tasks, node))
	s.awaitAllRunning("spot", tasks)
	require.NoError(t, core.CoreV1().Nodes().Delete(t.Context(), node, metav1.DeleteOptions{}))
	f := s.awaitCollection("spot")
	for _, task := range f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		r := task.RetryPolicyStatus
		if len(task.EarlierAttempts) != 1 || task.EarlierAttempts[0].Code != -101 || r.TotalRetriedCount != 1 || r.AccountableRetriedCount != 0 {
			t.Errorf("Task %d: %s, after %+v", task.Index, retries(r), task.EarlierAttempts)
		}
	}
	if r := f.Status.RetryPolicyStatus; r.TotalRetriedCount != 0 {
		t.Errorf("the Framework: %s", retries(r))
	}
}

// awaitCollection returns the Framework once each of its Tasks was retried, or it has completed. The garbage collector of Pods takes some
// minutes: it looks every 20 s, gives a node 40 s to come back, and makes 20 requests a second.
func (s *story) awaitCollection(name string) *v1.Framework {
	s.t.Helper()
	var f *v1.Framework
	err := wait.PollUntilContextTimeout(s.t.Context(), time.Second, machine.Within(6*time.Minute), true, func(ctx context.Context) (_ bool, err error) {
		f, err = s.frameworks.Get(ctx, name, metav1.GetOptions{})
		return err == nil && (f.Status.State == v1.Completed || allRetried(f.Status)), nil
	})
	require.NoError(s.t, err, "Tasks are not all retried: %+v", f.Status.Tasks)
	return f
}

func allRetried(f *v1.FrameworkStatus) bool {
	for _, task := range f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		if task.RetryPolicyStatus.TotalRetriedCount == 0 {
			return false
		}
	}
	return true
}

// ownNode makes a simulated node for the Pods that ask for it by name, and returns the name.
func (s *story) ownNode() string {
	s.t.Helper()
	nodes := core.CoreV1().Nodes()
	other, err := nodes.Get(s.t.Context(), "node-0", metav1.GetOptions{})
	require.NoError(s.t, err)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: s.namespace, Labels: other.Labels, Annotations: other.Annotations},
		Status:     other.Status,
	}
	node.Labels[corev1.LabelHostname] = node.Name
	node.Spec.Taints = []corev1.Taint{{Key: "example.com/own", Effect: corev1.TaintEffectNoSchedule}}
	_, err = nodes.Create(s.t.Context(), node, metav1.CreateOptions{})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = nodes.Delete(context.Background(), node.Name, metav1.DeleteOptions{}) })
	return node.Name
}
