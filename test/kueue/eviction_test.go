package kueue

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// One of a higher priority has another one evicted, whose attempt is taken back, and runs again later.
func TestPreemption(t *testing.T) {
	s := newStory(t, 40)
	of := func(class string) string {
		return strings.Replace(spec(gangs.Role("worker", 3)), "queue: research", "queue: research, priorityClassName: "+class, 1)
	}
	s.Create("victim", of("low"))
	s.AwaitBound("victim", 3, 3)
	s.Create("urgent", of("high"))
	s.AwaitBound("urgent", 3, 3)
	s.awaitTakenBack("victim")
	s.AwaitWaiting("victim", "Workload victim-1 waits in queue research")
	s.StaysBound("victim", 0, 0)
	event := s.awaitEvent("victim", "EvictedByScheduler")
	require.Contains(t, event, "Preempted to accommodate a workload")
	s.Delete("urgent")
	s.AwaitBound("victim", 3, 3)
}

// awaitEvent waits for an event of a Framework that contains a text, and returns its message.
func (s *story) awaitEvent(name, says string) (message string) {
	s.T.Helper()
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		list, err := world.Core.CoreV1().Events(s.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
		if err != nil {
			return err
		}
		var all []string
		for _, e := range list.Items {
			if message = e.Message; strings.Contains(message, says) {
				return nil
			}
			all = append(all, e.Message)
		}
		return fmt.Errorf("no event of %s says %q: %q", name, says, all)
	})
	return message
}

// An attempt whose Workload is deactivated is evicted, and the next one asks for quota again.
func TestDeactivation(t *testing.T) {
	s := newStory(t, 40)
	s.Create("stopped", spec(gangs.Role("worker", 3)))
	s.AwaitBound("stopped", 3, 3)
	s.patchObject("workloads", s.Namespace, "stopped-0", `{"spec": {"active": false}}`)
	s.awaitTakenBack("stopped")
	s.AwaitBound("stopped", 3, 3)
	s.awaitWorkloads("stopped-1 3")
}

// The same happens if the queue is stopped. The Framework waits until the queue continues.
func TestQueueIsStopped(t *testing.T) {
	s := newStory(t, 40)
	s.Create("drained", spec(gangs.Role("worker", 3)))
	s.AwaitBound("drained", 3, 3)
	s.patchObject("clusterqueues", "", s.Namespace, `{"spec": {"stopPolicy": "HoldAndDrain"}}`)
	s.awaitTakenBack("drained")
	s.AwaitWaiting("drained", "Workload drained-1 waits in queue research: ")
	s.StaysBound("drained", 0, 0)
	s.patchObject("clusterqueues", "", s.Namespace, `{"spec": {"stopPolicy": "None"}}`)
	s.AwaitBound("drained", 3, 3)
}

// So it is if the Workload is deleted, as its quota is given to others then.
func TestWorkloadIsDeleted(t *testing.T) {
	s := newStory(t, 40)
	s.Create("robbed", spec(gangs.Role("worker", 3)))
	s.AwaitBound("robbed", 3, 3)
	require.NoError(t, world.Objects.Resource(workloads).Namespace(s.Namespace).Delete(t.Context(), "robbed-0", metav1.DeleteOptions{}))
	s.awaitTakenBack("robbed")
	s.AwaitBound("robbed", 3, 3)
	s.awaitWorkloads("robbed-1 3")
}

// patchObject changes one of Kueue's objects; without a namespace, a cluster-wide one.
func (s *story) patchObject(resource, namespace, name, patch string) {
	s.T.Helper()
	_, err := world.Objects.Resource(workloads.GroupVersion().WithResource(resource)).Namespace(namespace).
		Patch(s.T.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(s.T, err)
}

// awaitTakenBack waits until the scheduler has taken back the first attempt of a Framework, which is not counted.
func (s *story) awaitTakenBack(name string) {
	s.T.Helper()
	s.Await(name, "in its second attempt, uncounted", func(f *v1.FrameworkStatus) bool {
		return f.AttemptStatus.ID == 1 && f.RetryPolicyStatus.TotalRetriedCount == 1 && f.RetryPolicyStatus.AccountableRetriedCount == 0
	})
}

// Kueue learns that all Pods run, so it does not evict them as it would evict a gang that never gets to run.
func TestPodsReady(t *testing.T) {
	s := newStory(t, 40)
	s.Create("runs", spec(gangs.Role("worker", 3)))
	s.AwaitBound("runs", 3, 3)
	s.awaitCondition("runs-0", "PodsReady")
	time.Sleep(podsReadyTimeout + 5*time.Second) // Kueue measures real time, so the test has to wait
	s.StaysBound("runs", 3, 3)
	s.Await("runs", "its first attempt", func(f *v1.FrameworkStatus) bool { return f.AttemptStatus.ID == 0 })
}

// A role that starts after the success of another one has no Pods yet. Kueue learns nevertheless that the existing Pods run, however long
// they take; and later the same of the Pods that are created then.
func TestPodsReadyBeforeARoleComesLater(t *testing.T) {
	s := newStory(t, 40)
	prepare := gangs.Role("prepare", 1, fmt.Sprintf(`simulate.frameworkcontroller.io/run-for: %s`,
		podsReadyTimeout+15*time.Second))
	train := gangs.With("startAfter: [{role: prepare, when: Succeeded}]", gangs.Role("train", 2))
	s.Create("staged", spec(prepare, train))
	s.AwaitBound("staged", 1, 1)
	s.awaitCondition("staged-0", "PodsReady")
	s.StaysBound("staged", 1, 1)
	s.Await("staged", "with the second stage", func(f *v1.FrameworkStatus) bool { return f.Tasks.Running == 2 && f.Tasks.Succeeded == 1 })
	s.awaitCondition("staged-0-r1", "PodsReady")
	time.Sleep(podsReadyTimeout + 5*time.Second) // Kueue's own time
	s.Await("staged", "its first attempt", func(f *v1.FrameworkStatus) bool { return f.AttemptStatus.ID == 0 && f.Tasks.Running == 2 })
}

// awaitCondition waits until a Workload has a condition that is true.
func (s *story) awaitCondition(workload, condition string) {
	s.T.Helper()
	clustertest.Eventually(s.T, gangs.Patience, func(ctx context.Context) error {
		w, err := world.Objects.Resource(workloads).Namespace(s.Namespace).Get(ctx, workload, metav1.GetOptions{})
		if err != nil {
			return err
		}
		list, _, _ := unstructured.NestedSlice(w.Object, "status", "conditions")
		for _, c := range list {
			if c, _ := c.(map[string]any); c["type"] == condition && c["status"] == "True" {
				return nil
			}
		}
		return fmt.Errorf("its conditions are %v", list)
	})
}
