package nativegangs

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// A gang that fits runs. A gang that does not fit has no Pod on a node, until there is room for all of it.
func TestNativeGangFits(t *testing.T) {
	atBothEnds(t, func(s *story) {
		s.Create("first", gangs.Spec(gangs.Role("worker", 3), gangs.Role("ps", 1)))
		s.AwaitBound("first", 4, 4)
		s.awaitMinCount("first-0", 4)
		groups, err := s.groupsOf("first")
		require.NoError(s.T, err)
		require.Equal(s.T, slices.Repeat([]string{"first-0-all"}, 4), groups)

		s.Create("second", gangs.Spec(gangs.Role("worker", 3))) // there is room for two
		s.StaysBound("second", 3, 0)
		c := s.Await("second", "waiting", func(f *v1.FrameworkStatus) bool { return gangs.Waiting(f) != "" })
		s.T.Log(gangs.Waiting(c))
		s.Delete("first")
		s.AwaitBound("second", 3, 3)
		s.awaitMinCount("first-0", 0) // it went with its attempt
	})
}

// If two gangs fit only one at a time, one runs as a whole, and then the other. The scheduler may hold a part of the nodes for each of
// them, for five minutes; their own timeout makes one of them give way.
func TestNativeGangsCompete(t *testing.T) {
	atBothEnds(t, func(s *story) {
		for _, name := range []string{"a", "b"} {
			competes := gangs.Spec(gangs.Role("worker", 4, `simulate.frameworkcontroller.io/run-for: 2s`, "minFailedTaskCount: 1, minSucceededTaskCount: 4"))
			s.Create(name, gangs.With("scheduling: {timeoutSec: 5}, retryPolicy: {fancyRetryPolicy: true}", competes))
		}
		s.AwaitSucceeded("a")
		s.AwaitSucceeded("b")
	})
}

// A Task that is retried when others have succeeded is placed: the group no longer waits for them.
func TestNativeTaskRetry(t *testing.T) {
	atBothEnds(t, func(s *story) {
		s.Create("late", gangs.Spec(
			gangs.Role("quick", 2, `simulate.frameworkcontroller.io/run-for: 0s`),
			gangs.Role("slow", 1, `simulate.frameworkcontroller.io/run-for: 4s, simulate.frameworkcontroller.io/exit-codes: "1,0"`,
				"minFailedTaskCount: 1, minSucceededTaskCount: 1")))
		s.awaitMinCount("late-0", 1)
		s.AwaitRetried("late", "slow", 1)
	})
}

// A Task that is retried while the others run gets its own place back, if there is no other.
func TestNativeTaskRetryBesideOthers(t *testing.T) {
	atBothEnds(t, func(s *story) {
		s.Create("full", gangs.Spec(gangs.Role("steady", 5), gangs.Role("fails", 1, gangs.FailsOnce+"1s", "minFailedTaskCount: 1, minSucceededTaskCount: 1")))
		s.AwaitRetried("full", "fails", 1)
	})
}

// Added Tasks are a gang of their own, or join the existing one, and the others keep running.
func TestNativeRescale(t *testing.T) {
	atBothEnds(t, func(s *story) {
		s.Create("grows", gangs.Spec(gangs.Role("worker", 2)))
		s.AwaitBound("grows", 2, 2)
		s.Scale("grows", 4)
		s.AwaitBound("grows", 4, 4)
		if s.grows {
			s.awaitMinCount("grows-0", 4)
		} else {
			s.awaitMinCount("grows-0", 2)
			s.awaitMinCount("grows-0-added-1", 2)
		}

		// Four more, and there is room for two. To ask for these two only would take the scheduler of 1.35 five minutes.
		s.Scale("grows", 8)
		s.StaysBound("grows", 8, 4)
		s.Scale("grows", 4)
		s.AwaitBound("grows", 4, 4)
		s.Scale("grows", 1)
		s.awaitMinCount("grows-0", 1)
		s.AwaitBound("grows", 1, 1)
	})
}

// The priority class of a Framework is set on its gang, and on its Pods.
func TestNativePriority(t *testing.T) {
	atBothEnds(t, func(s *story) {
		class := s.priorityClass(1000)
		s.Create("urgent", gangs.With("scheduling: {priorityClassName: "+class+"}", gangs.Spec(gangs.Role("worker", 2))))
		s.AwaitBound("urgent", 2, 2)
		pods, err := s.Pods(s.T.Context(), "urgent")
		require.NoError(s.T, err)
		for _, pod := range pods {
			require.Equal(s.T, int32(1000), *pod.Spec.Priority)
		}
	})
}

// The next attempt has a Workload of its own.
func TestNativeFrameworkRetry(t *testing.T) {
	atBothEnds(t, func(s *story) {
		s.Create("again", `{retryPolicy: {maxRetryCount: 1}, taskRoles: [{name: a, taskNumber: 2,
			frameworkAttemptCompletionPolicy: {minFailedTaskCount: 1, minSucceededTaskCount: 2}, task: {pod: {
			metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 1s, simulate.frameworkcontroller.io/exit-code: "1"}},
			spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}}]}`)
		s.awaitMinCount("again-1", 2)
		s.awaitMinCount("again-0", 0)
		s.Await("again", "completed", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed && f.AttemptStatus.ID == 1 })
	})
}
