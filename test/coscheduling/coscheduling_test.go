package coscheduling

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// patient is a spec whose gang is retried if it is not placed in time. With this scheduler that helps: it may try the Pods of a gang in
// such quick succession that it takes each for one that waits for the others, and puts them all aside.
func patient(spec string) string {
	return gangs.With("scheduling: {timeoutSec: 10}, retryPolicy: {fancyRetryPolicy: true}", spec)
}

// A gang that fits runs. A gang that does not fit has no Pod on a node, until there is room for all of it.
func TestGangFits(t *testing.T) {
	s := newStory(t)
	s.Create("first", gangs.Spec(gangs.Role("worker", 3), gangs.Role("ps", 1)))
	s.AwaitBound("first", 4, 4)
	s.awaitMinMember("first-0", 4)

	s.Create("second", patient(gangs.Spec(gangs.Role("worker", 3)))) // there is room for two
	s.StaysBound("second", 3, 0)
	s.AwaitWaiting("second", "no node was found")
	s.Delete("first")
	s.AwaitBound("second", 3, 3)
	s.awaitMinMember("first-0", 0) // it went with its attempt
}

// The scheduler finds nodes for two of three before it finds none: none of them is bound.
func TestGangFitsInPart(t *testing.T) {
	s := newStory(t)
	s.Create("large", strings.ReplaceAll(gangs.Spec(gangs.Role("worker", 3)), "cpu: 10", "cpu: 20")) // one for each node
	s.StaysBound("large", 3, 0)
	s.Scale("large", 2)
	s.AwaitBound("large", 2, 2)
}

// As many as the gang needs are placed together, and the others where there is room.
func TestPartOfTheGangSuffices(t *testing.T) {
	s := newStory(t)
	s.Create("elastic", gangs.With("scheduling: {gang: {minTasks: 3}}", gangs.Spec(gangs.Role("worker", 8))))
	s.StaysBound("elastic", 8, 6)
	s.awaitMinMember("elastic-0", 3)
}

// If two gangs fit only one at a time, one runs as a whole, and then the other.
func TestGangsCompete(t *testing.T) {
	s := newStory(t)
	for _, name := range []string{"a", "b"} {
		s.Create(name, patient(gangs.Spec(gangs.Role("worker", 4, `simulate.frameworkcontroller.io/run-for: 2s`, "minFailedTaskCount: 1, minSucceededTaskCount: 4"))))
	}
	s.AwaitSucceeded("a")
	s.AwaitSucceeded("b")
}

// A Task that is retried is placed while the others of its gang run.
func TestTaskRetry(t *testing.T) {
	s := newStory(t)
	s.Create("lone", gangs.Spec(gangs.Role("steady", 3), gangs.Role("fails", 1, gangs.FailsOnce+"0s", "minFailedTaskCount: 1, minSucceededTaskCount: 1")))
	s.AwaitRetried("lone", "fails", 1)
}

// So are several Tasks that are retried at once. The scheduler may put them aside first, if some Pods are created too early for the others.
func TestTaskRetries(t *testing.T) {
	s := newStory(t)
	s.Create("some", gangs.Spec(gangs.Role("steady", 2), gangs.Role("fails", 3, gangs.FailsOnce+"1s", "minFailedTaskCount: 1, minSucceededTaskCount: 3")))
	s.AwaitRetried("some", "fails", 1)
}

// A retried Task is placed even when others have succeeded: the group no longer waits for them.
func TestLateTaskRetry(t *testing.T) {
	s := newStory(t)
	s.Create("late", gangs.Spec(
		gangs.Role("quick", 2, `simulate.frameworkcontroller.io/run-for: 0s`),
		gangs.Role("slow", 1, gangs.FailsOnce+"2s", "minFailedTaskCount: 1, minSucceededTaskCount: 1")))
	s.awaitMinMember("late-0", 1)
	s.AwaitRetried("late", "slow", 1)
}

// Added Tasks are placed one by one, and the others keep running.
func TestRescale(t *testing.T) {
	s := newStory(t)
	s.Create("grows", gangs.Spec(gangs.Role("worker", 2)))
	s.AwaitBound("grows", 2, 2)
	s.Scale("grows", 4)
	s.AwaitBound("grows", 4, 4)

	s.Scale("grows", 8) // four more, and there is room for two
	s.StaysBound("grows", 8, 6)
	s.awaitMinMember("grows-0", 2)
	s.Scale("grows", 1)
	s.AwaitBound("grows", 1, 1)
	s.awaitMinMember("grows-0", 1)
}

// The next attempt has a group of its own.
func TestFrameworkRetry(t *testing.T) {
	s := newStory(t)
	fails := `simulate.frameworkcontroller.io/run-for: 1s, simulate.frameworkcontroller.io/exit-code: "1"`
	again := strings.ReplaceAll(gangs.Spec(gangs.Role("worker", 2, fails)), "maxRetryCount: 3", "maxRetryCount: 0")
	s.Create("again", gangs.With("retryPolicy: {maxRetryCount: 1}", again))
	s.awaitMinMember("again-1", 2)
	s.awaitMinMember("again-0", 0)
	s.Await("again", "completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed && f.AttemptStatus.ID == 1 })
}

// Roles of different priorities are refused with advice. Afterwards all Pods have one priority.
func TestPriority(t *testing.T) {
	s := newStory(t)
	_, err := world.Core.SchedulingV1().PriorityClasses().Create(t.Context(),
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000}, metav1.CreateOptions{})
	require.NoError(t, err)
	high := strings.Replace(gangs.Role("ps", 1), "restartPolicy:", "priorityClassName: high, restartPolicy:", 1)
	s.Create("mixed", gangs.Spec(gangs.Role("worker", 2), high))
	s.AwaitWaiting("mixed", "give all TaskRoles the same priorityClassName")
	s.StaysBound("mixed", 0, 0)

	s.Create("one", gangs.With("scheduling: {priorityClassName: high}", gangs.Spec(gangs.Role("worker", 2), high)))
	s.AwaitBound("one", 3, 3)
	pods, err := s.Pods(t.Context(), "one")
	require.NoError(t, err)
	for _, p := range pods {
		require.EqualValues(t, 1000, *p.Spec.Priority, p.Name)
	}
}
