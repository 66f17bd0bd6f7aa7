package kueue

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// A Framework that fits into the quota runs. One that does not fit has no Pod until there is room for all of it, and reports that with
// Kueue's message.
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

// If two fit only one at a time, one runs as a whole, and then the other, when the first has completed.
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

// A queue that does not exist is reported.
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
	s.AwaitRetried("lone", "fails", 1)
}

// So it has when others have succeeded.
func TestLateTaskRetry(t *testing.T) {
	s := newStory(t, 30)
	s.Create("late", spec(
		gangs.Role("quick", 2, `simulate.frameworkcontroller.io/run-for: 0s`),
		gangs.Role("slow", 1, gangs.FailsOnce+"2s", "minFailedTaskCount: 1, minSucceededTaskCount: 1")))
	s.AwaitRetried("late", "slow", 1)
}

// Others get the quota of completed Tasks while the attempt continues.
func TestCompletedTasks(t *testing.T) {
	s := newStory(t, 40)
	s.Create("first", spec(gangs.Role("quick", 3, `simulate.frameworkcontroller.io/run-for: 2s`), gangs.Role("steady", 1)))
	s.AwaitBound("first", 4, 4)
	s.Create("second", spec(gangs.Role("worker", 3)))
	s.AwaitBound("second", 3, 3)
	s.AwaitBound("first", 1, 1)
}

// Added Tasks wait for quota of their own, and the others keep running. Removed Tasks give back the quota that was added.
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

// A Framework that is for another cluster is left alone.
func TestManagedElsewhere(t *testing.T) {
	s := newStory(t, 40)
	s.Create("remote", gangs.With("managedBy: kueue.x-k8s.io/multikueue", spec(gangs.Role("worker", 1))))
	s.Create("here", spec(gangs.Role("worker", 1))) // is through when the other one would be, too
	s.AwaitBound("here", 1, 1)
	s.StaysBound("remote", 0, 0)
	s.awaitWorkloads("here-0 1")
}

// Memory that was raised is in the quota of the next attempt, and Kueue admits it.
func TestRaisedMemory(t *testing.T) {
	s := newStory(t, 20)
	s.limitMemory("2Gi")
	// The first Pod of Task 0 runs out of memory, and the second one ends the attempt.
	fails := `simulate.frameworkcontroller.io/run-for: 1s, simulate.frameworkcontroller.io/reason: OOMKilled, simulate.frameworkcontroller.io/exit-codes: "137,1"`
	hungry := strings.NewReplacer("cpu: 10", "cpu: 10, memory: 1Gi}, limits: {memory: 1Gi", "maxRetryCount: 3", `maxRetryCount: 1, onOOM: {memoryFactor: "2", maxMemory: 2Gi}`)
	s.Create("hungry", gangs.With("retryPolicy: {maxRetryCount: 1}", spec(hungry.Replace(gangs.Role("worker", 1, fails)), gangs.Role("steady", 1))))
	s.awaitWorkloads("hungry-0 1+1")
	s.awaitWorkloads("hungry-1 1+1")
	raised, err := world.Objects.Resource(workloads).Namespace(s.Namespace).Get(t.Context(), "hungry-1", metav1.GetOptions{})
	require.NoError(t, err)
	text, err := raised.MarshalJSON()
	require.NoError(t, err)
	require.Regexp(t, `"name":"worker-1".*"memory":"2Gi"`, string(text))
	s.AwaitBound("hungry", 2, 2)
}
