package avoidance

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// spec has `tasks` Tasks, each of which takes a tenth of a node of the pool.
func spec(pool string, tasks int, taskRetry, more string) string {
	return fmt.Sprintf(`{%s taskRoles: [{name: w, taskNumber: %d, task: {retryPolicy: %s, pod: {spec: {restartPolicy: Never,
		nodeSelector: {pool: %s}, containers: [{name: main, image: none, resources: {requests: {cpu: 3}}}]}}}}]}`, more, tasks, taskRetry, pool)
}

// run is a Pod that had a node.
type run struct {
	task, node string
	attempt    string
}

// landings remembers which Pods of a story had which node.
type landings struct {
	mu   sync.Mutex
	runs []run
}

// watch follows the Pods of a story from now on.
func watch(s *gangs.Story) *landings {
	l := &landings{}
	watcher, err := world.Core.CoreV1().Pods(s.Namespace).Watch(s.T.Context(), metav1.ListOptions{})
	require.NoError(s.T, err)
	go func() {
		for e := range watcher.ResultChan() {
			if pod, ok := e.Object.(*corev1.Pod); ok && pod.Spec.NodeName != "" {
				l.add(run{pod.Annotations[v1.KeyTaskIndex], pod.Spec.NodeName, pod.Annotations[v1.KeyFrameworkAttemptID] + "/" + pod.Annotations[v1.KeyTaskAttemptID]})
			}
		}
	}()
	return l
}

func (l *landings) add(r run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.runs, r) {
		l.runs = append(l.runs, r)
	}
}

// on returns how many first Pods of Tasks had a node, and how many later ones.
func (l *landings) on(node string) (first, retries int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.runs {
		switch {
		case r.node != node:
		case r.attempt == "0/0":
			first++
		default:
			retries++
		}
	}
	return first, retries
}

// A node kills every Pod. If there are other nodes, all Tasks come to run, and at most one retry uses the bad node; otherwise, nothing
// waits for ever.
func TestNodeThatKillsEveryPod(t *testing.T) {
	for _, mode := range []v1.AvoidMode{v1.AvoidPrefer, v1.AvoidRequire} {
		for pool, nodes := range pools {
			if pool == "plugin" {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d nodes", mode, len(nodes)), func(t *testing.T) {
				s := world.NewStory(t)
				seen := watch(s)
				policy := fmt.Sprintf("{maxRetryCount: 3, avoidNodes: {mode: %s}}", mode)
				s.Create("f", spec(pool, 2*len(nodes), policy, ""))
				bad := nodeName(nodes[0])
				if len(nodes) == 1 {
					requireUsedUp(s, mode)
					return
				}
				s.Await("f", "running", func(f *v1.FrameworkStatus) bool {
					return f.Tasks.Running == int32(2*len(nodes)) && onlyElsewhere(f, bad)
				})
				first, retries := seen.on(bad)
				if first == 0 {
					t.Error("no Pod was on the bad node at first, so nothing was tried")
				}
				if retries > 1 {
					t.Errorf("%d retries were on the bad node", retries)
				}
			})
		}
	}
}

// onlyElsewhere reports whether all Tasks run on other nodes.
func onlyElsewhere(f *v1.FrameworkStatus, node string) bool {
	for _, task := range f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		if n := task.AttemptStatus.PodNodeName; n == nil || *n == node {
			return false
		}
	}
	return true
}

// requireUsedUp: there is no other node, so a Task uses up its retries there, and fails.
func requireUsedUp(s *gangs.Story, mode v1.AvoidMode) {
	f := s.Await("f", "completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed })
	if c := f.AttemptStatus.CompletionStatus; c.Code != 7 {
		s.T.Errorf("it ended with %+v", c)
	}
	for _, task := range f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		r, c := task.RetryPolicyStatus, task.AttemptStatus.CompletionStatus
		if c.Code == 7 && r.AccountableRetriedCount != 3 || r.AccountableRetriedCount > 3 {
			s.T.Errorf("retries: %+v", r)
		}
		if mode == v1.AvoidRequire && r.TotalRetriedCount > r.AccountableRetriedCount+1 {
			s.T.Errorf("more than once it was found out that there is no other node: %+v", r)
		}
	}
	for _, n := range f.AvoidedNodes {
		if n.Mode != v1.AvoidPrefer || n.Relaxed != (mode == v1.AvoidRequire) {
			s.T.Errorf("%+v", n)
		}
	}
}

// Nodes avoided by the Framework's policy stay avoided in later attempts: the next one does not begin on the bad node.
func TestFrameworkRetryAvoidsTheNode(t *testing.T) {
	s := world.NewStory(t)
	seen := watch(s)
	s.Create("f", spec("two", 4, "{maxRetryCount: 0}", "retryPolicy: {maxRetryCount: 2, avoidNodes: {mode: Require}},"))
	f := s.Await("f", "running", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 4 && onlyElsewhere(f, nodeName(1)) })
	if _, retries := seen.on(nodeName(1)); f.AttemptStatus.ID != 1 || retries > 0 {
		t.Errorf("attempt %d, %d retries on the bad node", f.AttemptStatus.ID, retries)
	}
}

// A node that is deleted and comes back under its name is still avoided; while it is away, avoiding it has no effect.
func TestNodeThatComesBack(t *testing.T) {
	s := world.NewStory(t)
	s.Create("f", spec("two", 2, "{maxRetryCount: 3, avoidNodes: {mode: Require}}", ""))
	s.Await("f", "running", func(f *v1.FrameworkStatus) bool {
		return f.Tasks.Running == 2 && onlyElsewhere(f, nodeName(1)) && len(f.AvoidedNodes) == 1
	})
	nodes := world.Core.CoreV1().Nodes()
	node, err := nodes.Get(t.Context(), nodeName(1), metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, nodes.Delete(t.Context(), node.Name, metav1.DeleteOptions{}))
	s.Scale("f", 4)
	s.Await("f", "running", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 4 })
	again := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: node.Labels}, Status: node.Status}
	_, err = nodes.Create(t.Context(), again, metav1.CreateOptions{})
	require.NoError(t, err)
	clustertest.Eventually(t, gangs.Patience, func(ctx context.Context) error {
		n, err := nodes.Get(ctx, node.Name, metav1.GetOptions{})
		if err == nil && len(n.Spec.Taints) > 0 {
			err = fmt.Errorf("it has the taints %v", n.Spec.Taints)
		}
		return err
	})
	s.Scale("f", 6)
	f := s.Await("f", "running", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 6 })
	if !onlyElsewhere(f, node.Name) {
		t.Error("a Pod went to the node")
	}
}

// Users see avoided nodes in a column and in events, with their time.
func TestWhatUsersSee(t *testing.T) {
	s := world.NewStory(t)
	s.Create("f", spec("two", 4, "{maxRetryCount: 3, avoidNodes: {mode: Prefer, forSec: 600, maxNodes: 1}}", ""))
	f := s.Await("f", "running elsewhere", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 4 && len(f.AvoidedNodes) == 1 })
	n := f.AvoidedNodes[0]
	if left := time.Until(n.Until.Time); n.Name != nodeName(1) || n.Role != "w" || n.Code != 7 || n.Mode != v1.AvoidPrefer || left > 601*time.Second || left < 300*time.Second {
		t.Errorf("%+v", n)
	}
	output, err := world.Kube.Command(t.Context(), world.Kube.Kubectl, "get", "fw", "f", "-n", s.Namespace, "-o", "wide").CombinedOutput()
	if err != nil || !slices.Contains(fields(string(output)), "AVOIDED") || !slices.Contains(fields(string(output)), nodeName(1)) {
		t.Errorf("%v\n%s", err, output)
	}
	clustertest.Eventually(t, gangs.Patience, func(ctx context.Context) error {
		events, err := world.Core.CoreV1().Events(s.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=NodeAvoided"})
		if err == nil && len(events.Items) == 0 {
			err = fmt.Errorf("no event tells of it")
		}
		return err
	})
}
