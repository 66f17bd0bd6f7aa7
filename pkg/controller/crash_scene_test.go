package controller

import (
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"
)

// scene is the stored state at one moment.
type scene struct {
	*world
	there  bool // the Framework
	status *v1.FrameworkStatus
}

// reached reports whether the Framework is in a state of an attempt, or past it. One may be left before it is stored.
func (s scene) reached(attempt int32, state v1.State) bool {
	return past(s.status.AttemptStatus.ID, s.status.State, attempt, state)
}

func (s scene) taskReached(index int, attempt int32, state v1.State) bool {
	t := s.task(index)
	return past(t.AttemptStatus.ID, t.State, attempt, state)
}

// task returns a Task of role w.
func (s scene) task(index int) v1.TaskStatus { return taskOfStatus(s.status, "w", index) }

func past(attempt int32, state v1.State, wantAttempt int32, want v1.State) bool {
	return state != "" && (attempt > wantAttempt || attempt == wantAttempt && place(state) >= place(want))
}

func place(s v1.State) int {
	return slices.IndexFunc(counts.New(nil).States(), func(c counts.ByState) bool { return c.State == s })
}

// running is the number of running Tasks, and ended the number of completed ones.
func (s scene) running() int { return s.tasksIn(v1.AttemptRunning) }
func (s scene) ended() int   { return s.tasksIn(v1.Completed) }

func (s scene) tasksIn(state v1.State) (n int) {
	for _, r := range s.status.AttemptStatus.TaskRoleStatuses {
		for _, t := range r.TaskStatuses {
			if t.State == state {
				n++
			}
		}
	}
	return n
}

// inTurn reports whether all Tasks before the Pod's Task have ended, so that the same Task always decides.
func (s scene) inTurn(pod podRun) bool {
	for _, r := range s.status.AttemptStatus.TaskRoleStatuses {
		for _, t := range r.TaskStatuses {
			switch {
			case r.Name == pod.role && int(t.Index) == pod.index:
				return true
			case t.State != v1.Completed:
				return false
			}
		}
	}
	return false
}

// Conditions that stories wait for.

func begun(s scene) bool   { return s.reached(0, v1.AttemptCreationPending) }
func oneRuns(s scene) bool { return s.running() == 1 && s.reached(0, v1.AttemptRunning) }
func gone(s scene) bool    { return !s.there }
func waits(s scene) bool   { return strings.HasPrefix(s.condition("a", v1.ConditionWaiting), "True") }
func seen(s scene) bool    { return s.seen() }

// seen reports whether the status takes the spec into account.
func (s scene) seen() bool {
	f := s.Get(apitest.Frameworks, "a")
	return f != nil && s.status.ObservedGeneration == f.GetGeneration()
}

// count is the number of Tasks.
func (s scene) count() (n int) {
	for _, r := range s.status.AttemptStatus.TaskRoleStatuses {
		n += len(r.TaskStatuses)
	}
	return n
}
