package e2e

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const (
	suspend = `spec: {suspend: true}`
	resume  = `spec: {suspend: false}`
)

// A Framework that runs is suspended: its Pods go. Resumed, it begins a new attempt, as often as one likes, and no retry is
// used up.
func TestSuspendWhileRunning(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("paused", roleOf(3, pod("terminate-after", "1s")))
	s.awaitAllRunning("paused", 3)
	for attempt := range int32(2) {
		s.patch("paused", suspend)
		f := s.awaitState("paused", v1.AttemptCompleted, attempt)
		requireOutcomes(t, f.Status, fmt.Sprintf("AttemptCompleted attempt=%[1]d retried=%[1]d/0 code=-250 FrameworkSuspended", attempt),
			"code=-220 FrameworkAttemptCompletion")
		s.awaitCondition("paused", v1.ConditionSuspended, metav1.ConditionTrue, "Suspended")
		s.requireNothingOf("paused")
		s.patch("paused", resume)
		s.awaitState("paused", v1.AttemptRunning, attempt+1)
		s.awaitAllRunning("paused", 3)
	}
	s.awaitCondition("paused", v1.ConditionSuspended, metav1.ConditionFalse, "Resumed")
	s.requirePods(podCount{created: 9, gone: 6})
}

// A Framework that is suspended when it is created has a status, and no objects, until it is resumed.
func TestSuspendedAtCreate(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("waits", `{suspend: true, taskRoles: [{name: a, taskNumber: 2, task: {pod: `+pod("run-for", "1s")+`}}]}`)
	s.awaitCondition("waits", v1.ConditionSuspended, metav1.ConditionTrue, "Suspended")
	s.patch("waits", `spec: {description: still suspended}`)
	f := s.await("waits", "seen again", func(f *v1.FrameworkStatus) bool { return f.ObservedGeneration == 2 })
	if f.Status.State != v1.AttemptCreationPending {
		t.Errorf("was not held:\n%s", describe(f.Status))
	}
	s.requireNothingOf("waits")
	s.patch("waits", resume)
	s.awaitState("waits", v1.Completed, 0)
	s.requirePods(podCount{created: 2, gone: 2})
}

// A Framework is suspended or resumed a hundred times in a minute. Everything that begins ends, no retry is counted, and in the end it
// runs. The checker verifies that no two Pods of a Task exist together.
func TestSuspendToggled(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("toggled", roleOf(3, pod("terminate-after", "200ms")))
	for i := range 100 {
		s.patch("toggled", fmt.Sprintf(`spec: {suspend: %t}`, i%2 == 0))
		// With many durations, so that each state is met.
		time.Sleep(time.Duration(100+i*17%900) * time.Millisecond)
	}
	f := s.awaitAllRunning("toggled", 3)
	if r := f.Status.RetryPolicyStatus; r.AccountableRetriedCount != 0 || r.RetryDelaySec != nil {
		t.Errorf("got %s", retries(r))
	}
}

const heldBeforeItsFirstAttempt = "AttemptCreationPending attempt=0 retried=0/0\na-0 AttemptCreationPending retried=0/0\n"

// suspensions are Frameworks in each state, with the effects of a suspension and of the resumption.
var suspensions = []struct {
	in, spec string
	before   func(*story)
	reach    func(*story)
	then     func(*story) // while it is suspended
	held     string       // stored then, once nothing changes
	end      string       // a moment after it was resumed
}{{
	in:   "AttemptCreationPending, held",
	spec: `{executionType: Create, taskRoles: [{name: a, task: {pod: ` + pod() + `}}]}`,
	then: func(s *story) { s.patch("f", `spec: {executionType: Start}`) },
	held: heldBeforeItsFirstAttempt,
	end:  "AttemptRunning attempt=0 retried=0/0\na-0 AttemptRunning retried=0/0\n",
}, {
	in:     "AttemptCreationPending, with a taken name",
	spec:   roleOf(1, pod()),
	before: func(s *story) { s.createForeignConfigMap("f-attempt") },
	reach:  func(s *story) { s.awaitCondition("f", v1.ConditionWaiting, metav1.ConditionTrue, "NameConflict") },
	then: func(s *story) {
		s.settlesAs("f", heldBeforeItsFirstAttempt) // or else a creation that was decided before may find the name free
		s.deleteConfigMap("f-attempt")
	},
	held: heldBeforeItsFirstAttempt,
	end:  "AttemptRunning attempt=0 retried=0/0\na-0 AttemptRunning retried=0/0\n",
}, {
	in:    "AttemptPreparing",
	spec:  roleOf(1, pod("hold", "true")),
	reach: func(s *story) { s.awaitState("f", v1.AttemptPreparing, 0) },
	held:  "AttemptCompleted attempt=0 retried=0/0 code=-250 FrameworkSuspended\na-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion\n",
	end:   "AttemptPreparing attempt=1 retried=1/0\na-0 AttemptPreparing retried=0/0\n",
}, {
	in:   "AttemptDeleting, after a failure",
	spec: `{retryPolicy: {maxRetryCount: 1}, taskRoles: [{name: a, taskNumber: 2, task: {pod: ` + pod("terminate-after", "3s") + `}}]}`,
	reach: func(s *story) {
		s.awaitAllRunning("f", 2)
		s.endPod("f-a-0", 1)
		s.awaitState("f", v1.AttemptDeleting, 0)
	},
	held: "AttemptCompleted attempt=0 retried=0/0 code=1 ContainerUnrecognizedFailed trigger=a-0\n" +
		"a-0 Completed retried=0/0 code=1 ContainerUnrecognizedFailed\na-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion\n",
	end: "AttemptRunning attempt=1 retried=1/1\na-0 AttemptRunning retried=0/0\na-1 AttemptRunning retried=0/0\n",
}, {
	in:   "AttemptCompleted, before a retry",
	spec: `{retryPolicy: {maxRetryCount: 1, backoff: {initialDelaySec: 4}}, taskRoles: [{name: a, task: {pod: ` + pod() + `}}]}`,
	reach: func(s *story) {
		s.awaitAllRunning("f", 1)
		s.endPod("f-a-0", 1)
		s.await("f", "waiting for its retry", func(f *v1.FrameworkStatus) bool { return f.RetryPolicyStatus.RetryDelaySec != nil })
	},
	held: "AttemptCompleted attempt=0 retried=0/0 delay=4 code=1 ContainerUnrecognizedFailed trigger=a-0\na-0 Completed retried=0/0 code=1 ContainerUnrecognizedFailed\n",
	end:  "AttemptRunning attempt=1 retried=1/1\na-0 AttemptRunning retried=0/0\n",
}, {
	in:    "Completed",
	spec:  roleOf(1, pod("run-for", "0s")),
	reach: func(s *story) { s.awaitState("f", v1.Completed, 0) },
	held:  "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-0\na-0 Completed retried=0/0 code=0 Succeeded\n",
	end:   "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-0\na-0 Completed retried=0/0 code=0 Succeeded\n",
}, {
	in:    "AttemptRunning, then stopped",
	spec:  roleOf(1, pod()),
	reach: func(s *story) { s.awaitAllRunning("f", 1) },
	then: func(s *story) {
		s.awaitState("f", v1.AttemptCompleted, 0)
		s.patch("f", `spec: {executionType: Stop}`)
	},
	held: "Completed attempt=1 retried=1/0 code=-210 StopFrameworkRequested\na-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion\n",
	end:  "Completed attempt=1 retried=1/0 code=-210 StopFrameworkRequested\na-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion\n",
}}

func TestSuspendInEachState(t *testing.T) {
	t.Parallel()
	for _, row := range suspensions {
		t.Run(row.in, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			if row.before != nil {
				row.before(s)
			}
			s.create("f", row.spec)
			if row.reach != nil {
				row.reach(s)
			}
			s.patch("f", suspend)
			if row.then != nil {
				row.then(s)
			}
			s.settlesAs("f", row.held)
			s.requireNothingOf("f")
			s.patch("f", resume)
			s.settlesAs("f", row.end)
		})
	}
}

// settlesAs returns once the status takes the spec into account, and is as described.
func (s *story) settlesAs(name, want string) {
	s.t.Helper()
	last := ""
	until(s, theFrameworks, name, "as described:\n"+want, func(f *v1.Framework) bool {
		if f.Status == nil || f.Status.ObservedGeneration != f.Generation {
			return false
		}
		last = describe(f.Status)
		return last == want
	})
}

// A Framework of another controller gets no status and no objects, and its neighbours continue.
func TestManagedElsewhere(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("theirs", `{managedBy: example.com/other, taskRoles: [{name: a, task: {pod: `+pod()+`}}]}`)
	s.create("ours", `{managedBy: frameworkcontroller.microsoft.com/frameworkcontroller, taskRoles: [{name: a, task: {pod: `+pod("run-for", "0s")+`}}]}`)
	s.awaitState("ours", v1.Completed, 0)
	s.patch("theirs", `spec: {executionType: Stop}`)
	s.neighbour()
	f, err := s.frameworks.Get(t.Context(), "theirs", metav1.GetOptions{})
	if err != nil || f.Status != nil {
		t.Errorf("got %v, %v", f, err)
	}
	s.requireNothingOf("theirs")
}
