package kueue

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// What fits into the quota runs. What does not has no Pod until there is room for all of it, and says so in Kueue's words.
func TestQuota(t *testing.T) {
	s := newStory(t, 50)
	s.Create("first", spec(gangs.Role("worker", 3), gangs.Role("ps", 1)))
	s.AwaitBound("first", 4, 4)
	s.awaitWorkloads("first-0 3+1")

	s.Create("second", spec(gangs.Role("worker", 3)))
	s.AwaitWaiting("second", "Workload second-0 waits in queue research: couldn't assign flavors to pod set worker: "+
		"insufficient unused quota for cpu in flavor default, 20 more needed")
	s.StaysBound("second", 0, 0)
	s.Delete("first")
	s.AwaitBound("second", 3, 3)
	s.awaitWorkloads("second-0 3")
}

// Of two that fit one at a time, one runs as a whole, and then the other, when the first has completed.
func TestFrameworksCompete(t *testing.T) {
	s := newStory(t, 40)
	for _, name := range []string{"a", "b"} {
		s.Create(name, spec(gangs.Role("worker", 4, `simulate.frameworkcontroller.io/run-for: 1s`, "minFailedTaskCount: 1, minSucceededTaskCount: 4")))
	}
	started, ended := map[string]time.Time{}, map[string]time.Time{}
	for _, name := range []string{"a", "b"} {
		f := s.AwaitSucceeded(name)
		started[name], ended[name] = f.AttemptStatus.RunTime.Time, f.AttemptStatus.CompletionTime.Time
	}
	if ended["a"].After(started["b"]) && ended["b"].After(started["a"]) {
		t.Errorf("they ran at the same time: from %v to %v", started, ended)
	}
}

// A queue that does not exist is told of.
func TestNoSuchQueue(t *testing.T) {
	s := newStory(t, 40)
	s.Create("lost", strings.Replace(spec(gangs.Role("worker", 1)), "queue: research", "queue: nosuch", 1))
	s.AwaitWaiting("lost", "LocalQueue nosuch doesn't exist")
	s.StaysBound("lost", 0, 0)
}

// A Task that is retried has its quota already, also if the queue has no other left.
func TestTaskRetry(t *testing.T) {
	s := newStory(t, 40)
	s.Create("lone", spec(gangs.Role("steady", 3), gangs.Role("fails", 1, gangs.FailsOnce+"0s", "minFailedTaskCount: 1, minSucceededTaskCount: 1")))
	s.AwaitRetriedOnce("lone", "fails")
}

// So it has when others have succeeded.
func TestLateTaskRetry(t *testing.T) {
	s := newStory(t, 30)
	s.Create("late", spec(
		gangs.Role("quick", 2, `simulate.frameworkcontroller.io/run-for: 0s`),
		gangs.Role("slow", 1, gangs.FailsOnce+"2s", "minFailedTaskCount: 1, minSucceededTaskCount: 1")))
	s.AwaitRetriedOnce("late", "slow")
}

// Tasks that are added wait for quota of their own, and the others go on. What is removed gives back what was added.
func TestRescale(t *testing.T) {
	s := newStory(t, 60)
	s.Create("grows", spec(gangs.Role("worker", 2)))
	s.AwaitBound("grows", 2, 2)
	s.Scale("grows", 4)
	s.AwaitBound("grows", 4, 4)
	s.awaitWorkloads("grows-0 2", "grows-0-r1 2")

	s.Scale("grows", 8) // four more, and there is quota for two
	s.AwaitWaiting("grows", "Workload grows-0-r2 waits in queue research")
	s.StaysBound("grows", 4, 4)
	s.Scale("grows", 6) // it still asks for four
	s.awaitWorkloads("grows-0 2", "grows-0-r1 2", "grows-0-r2 4")
	s.Scale("grows", 4)
	s.awaitWorkloads("grows-0 2", "grows-0-r1 2")
	s.Scale("grows", 1)
	s.AwaitBound("grows", 1, 1)
	s.awaitWorkloads("grows-0 2")
	s.Create("other", spec(gangs.Role("worker", 4)))
	s.AwaitBound("other", 4, 4)
}

// The next attempt takes the quota again, which the former has given back.
func TestFrameworkRetry(t *testing.T) {
	s := newStory(t, 20)
	fails := `simulate.frameworkcontroller.io/run-for: 1s, simulate.frameworkcontroller.io/exit-code: "1"`
	again := strings.ReplaceAll(spec(gangs.Role("worker", 2, fails)), "maxRetryCount: 3", "maxRetryCount: 0")
	s.Create("again", gangs.With("retryPolicy: {maxRetryCount: 1}", again))
	s.awaitWorkloads("again-1 2")
	s.Await("again", "completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed && f.AttemptStatus.ID == 1 })
	s.awaitWorkloads()
}

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

// awaitEvent waits for an event of a Framework that says so, and returns its message.
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

// An attempt whose Workload is deactivated is taken back, and the next one asks anew.
func TestDeactivation(t *testing.T) {
	s := newStory(t, 40)
	s.Create("stopped", spec(gangs.Role("worker", 3)))
	s.AwaitBound("stopped", 3, 3)
	s.deactivate("stopped-0")
	s.awaitTakenBack("stopped")
	s.AwaitBound("stopped", 3, 3)
	s.awaitWorkloads("stopped-1 3")
}

// A Framework that is for another cluster is left alone.
func TestManagedElsewhere(t *testing.T) {
	s := newStory(t, 40)
	s.Create("remote", gangs.With("managedBy: kueue.x-k8s.io/multikueue", spec(gangs.Role("worker", 1))))
	s.Create("here", spec(gangs.Role("worker", 1))) // is through when the other one would be, too
	s.AwaitBound("here", 1, 1)
	s.StaysBound("remote", 0, 0)
	s.awaitWorkloads("here-0 1")
}

// The Pods run on the nodes of the flavor that was assigned.
func TestFlavor(t *testing.T) {
	s := newStoryOf(t, "second-node", 40)
	s.Create("flavored", spec(gangs.Role("worker", 3)))
	s.AwaitBound("flavored", 3, 3)
	require.Equal(t, map[string]int{"node-1": 3}, s.nodes("flavored"))
}

// They run where Kueue has found room: all in one domain, though the scheduler would have spread them.
func TestTopology(t *testing.T) {
	s := newStoryOf(t, "racks", 60)
	near := "queue: research, topology: [{key: kubernetes.io/hostname, mode: Required, role: worker}]"
	for _, name := range []string{"a", "b"} {
		s.Create(name, strings.Replace(spec(gangs.Role("worker", 3)), "queue: research", near, 1))
		s.AwaitBound(name, 3, 3)
		require.Len(t, s.nodes(name), 1, name)
	}
}

// nodes tells how many Pods of a Framework each has.
func (s *story) nodes(name string) map[string]int {
	s.T.Helper()
	pods, err := s.Pods(s.T.Context(), name)
	require.NoError(s.T, err)
	nodes := map[string]int{}
	for _, p := range pods {
		nodes[p.Spec.NodeName]++
	}
	return nodes
}

// Kueue may admit a part of the gang that suffices; the other Pods are held back.
func TestPartialAdmission(t *testing.T) {
	s := newStory(t, 30)
	partial := "plugins: [{name: kueue, parameters: {partialAdmission: true}}]"
	s.Create("elastic", gangs.With(partial, strings.Replace(spec(gangs.Role("worker", 5)), "queue: research", "queue: research, gang: {minTasks: 2}", 1)))
	s.StaysBound("elastic", 5, 3)
}
