package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// nowhere makes Pods ask for a node that does not exist.
func nowhere() string {
	return `{spec: {restartPolicy: Never, nodeSelector: {example.com/no: such}, containers: [{name: c, image: app}]}}`
}

// A gang without enough nodes is given up as a whole, though a part of it runs, and retried later.
func TestGangFindsNoPlace(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("gang", `{retryPolicy: {fancyRetryPolicy: true, backoff: {initialDelaySec: 15}}, scheduling: {timeoutSec: 8}, taskRoles: [
		{name: a, taskNumber: 2, task: {pod: `+pod("terminate-after", "1s")+`}},
		{name: b, taskNumber: 1, task: {pod: `+nowhere()+`}}]}`)
	f := s.await("gang", "waiting for its retry", func(f *v1.FrameworkStatus) bool { return f.RetryPolicyStatus.RetryDelaySec != nil })
	requireOutcomes(t, f.Status, "code=-130 PodUnschedulable", "code=-220 FrameworkAttemptCompletion")
	s.requireNothingOfAttempt("gang", 0)
	s.awaitWarning("gang", "AttemptCompleted", "2 of 3 Tasks have had a node within 8 s, and the gang needs 3")
	f = s.await("gang", "running in a later attempt", func(f *v1.FrameworkStatus) bool {
		return f.State == v1.AttemptRunning && f.AttemptStatus.ID > 0
	})
	if r := f.Status.RetryPolicyStatus; r.AccountableRetriedCount != 0 {
		t.Errorf("got %s", retries(r))
	}
}

// A gang with a minimum that is met is not given up when the time is over, nor when one of its Tasks is retried.
func TestGangOfSome(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	over := time.Now().Add(45 * time.Second)
	s.create("gang", `{scheduling: {timeoutSec: 40, gang: {minTasks: 2, perRole: [{role: a, minTasks: 2}]}}, taskRoles: [
		{name: a, taskNumber: 2, task: {retryPolicy: {maxRetryCount: 1}, pod: `+pod()+`}},
		{name: b, taskNumber: 1, task: {pod: `+nowhere()+`}}]}`)
	s.await("gang", "placed", func(f *v1.FrameworkStatus) bool {
		return f.AttemptStatus.Placement != nil && f.AttemptStatus.Placement.PlacedTime != nil
	})
	s.awaitCondition("gang", v1.ConditionWaiting, metav1.ConditionTrue, "Unschedulable")
	s.awaitTime(over)
	s.endPod("gang-a-0", 1)
	f := s.await("gang", "running with a Task that was retried", func(f *v1.FrameworkStatus) bool {
		return f.Tasks.Running == 2 && task(f, "a", 0).RetryPolicyStatus.TotalRetriedCount == 1
	})
	if f.Status.AttemptStatus.ID != 0 || f.Status.State != v1.AttemptRunning {
		t.Error(describe(f.Status))
	}
}

// Two gangs of three Tasks compete for a node with room for four. They give up their parts of it until one is first, and in the end both
// have run, without a gang scheduler, and without a counted retry.
func TestGangsOfHalfACluster(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.addNode("half", "4")
	s.addPriority("placement-first")
	for _, name := range []string{"one", "two"} {
		s.create(name, `{retryPolicy: {fancyRetryPolicy: true}, scheduling: {timeoutSec: 5}, taskRoles: [`+
			onNode("half", "first", 2, "priorityClassName: placement-first,")+`, `+onNode("half", "last", 1, "")+`]}`)
	}
	s.eventually(func(ctx context.Context) error { // the second one has its own time, after the first
		list, err := s.frameworks.List(ctx, metav1.ListOptions{})
		if err == nil && !slices.ContainsFunc(list.Items, func(f v1.Framework) bool { return f.Status != nil && f.Status.State == v1.Completed }) {
			err = errors.New("none of the gangs is Completed")
		}
		return err
	})
	total := int32(0)
	for _, name := range []string{"one", "two"} {
		f := s.await(name, "Completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed })
		if code := f.Status.AttemptStatus.CompletionStatus.Code; code != 0 || f.Status.RetryPolicyStatus.AccountableRetriedCount != 0 {
			t.Error(describe(f.Status))
		}
		total += f.Status.RetryPolicyStatus.TotalRetriedCount
	}
	if total == 0 {
		t.Error("both had room at the same time")
	}
}

// onNode is a role whose Pods want a processor of a node, for much longer than a gang waits: the second gang has to give up while the first
// one runs, however slowly it starts.
func onNode(node, role string, tasks int, more string) string {
	return fmt.Sprintf(`{name: %s, taskNumber: %d, task: {pod: {metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 20s}}, spec: {
		restartPolicy: Never, %s nodeSelector: {example.com/only: %[4]s}, tolerations: [{key: example.com/only, operator: Exists}],
		containers: [{name: c, image: app, resources: {requests: {cpu: "1"}}}]}}}}`, role, tasks, more, node)
}

// addNode creates a node with that number of processors, for Pods that select it by name, until the test ends.
func (s *story) addNode(name, processors string) {
	s.t.Helper()
	nodes := core.CoreV1().Nodes()
	list, err := nodes.List(s.t.Context(), metav1.ListOptions{Limit: 1})
	require.NoError(s.t, err)
	like := list.Items[0]
	room := like.Status.Allocatable.DeepCopy()
	room[corev1.ResourceCPU] = resource.MustParse(processors)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"example.com/only": name}, Annotations: like.Annotations},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: "example.com/only", Effect: corev1.TaintEffectNoSchedule}}},
		Status:     corev1.NodeStatus{Capacity: room, Allocatable: room},
	}
	_, err = nodes.Create(s.t.Context(), node, metav1.CreateOptions{})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = nodes.Delete(context.Background(), name, metav1.DeleteOptions{}) })
}

// addPriority has Pods scheduled before others, without taking anything from these, until the test ends.
func (s *story) addPriority(name string) {
	s.t.Helper()
	classes := core.SchedulingV1().PriorityClasses()
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: 1, PreemptionPolicy: new(corev1.PreemptNever)}
	_, err := classes.Create(s.t.Context(), class, metav1.CreateOptions{})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = classes.Delete(context.Background(), name, metav1.DeleteOptions{}) })
}
