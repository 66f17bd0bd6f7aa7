package lifecycle_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// checker watches a story and reports whenever a promise of this package is broken. The laws are spread over
// the law_*_test.go files.
type checker struct {
	story *lifecycletest.Story
	// violationf is called with the name of the law and what broke it.
	violationf func(law, format string, args ...any)
	// lenient turns off the laws about running Pods, which hold only if nobody deletes ConfigMaps or Frameworks
	// in the background (contract 11, preconditions).
	lenient bool

	framework types.UID
	stored    *lifecycle.State
	rows      map[string]bool
	scheduled map[string]scheduledRetry           // by "framework" or Task: its latest retry with a delay
	counted   map[string]map[int32]countedFailure // by Framework or Task instance, and attempt
	actions   int
	suspended bool              // by the spec of the last round
	asked     bool              // a scheduler is asked about Pods
	spec      *v1.FrameworkSpec // of the last round
	ends      map[string]int32  // codes of attempts by their instance UIDs
	refused   map[string]bool   // Tasks a Pod of which was refused, by their instance UIDs
	memory    memory
	items     map[string]string                        // by attempt and Task
	claims    []lifecycletest.Claim                    // as last seen
	most      map[string]int                           // by role and attempt: how many of its Pods there may be, by all specs of the attempt so far
	memoryOf  map[string]int64                         // by role: the most memory that its Pods may have, by all specs so far
	met       map[*lifecycle.State]*v1.FrameworkStatus // the states of the last round, as they were then
	outdated  map[string]bool                          // Pods that were there while their Tasks waited for a restart, by the UIDs of Task and Pod
}

func newChecker(t testing.TB, story *lifecycletest.Story) *checker {
	c := &checker{story: story, rows: map[string]bool{}, scheduled: map[string]scheduledRetry{}, counted: map[string]map[int32]countedFailure{},
		refused: map[string]bool{}, outdated: map[string]bool{}, most: map[string]int{}, memoryOf: map[string]int64{}, items: map[string]string{}, memory: newMemory(),
		met: map[*lifecycle.State]*v1.FrameworkStatus{}}
	c.violationf = func(law, format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s", law, fmt.Sprintf(format, args...))
	}
	story.Hooks = lifecycletest.Hooks{
		Stepped:   c.stepped,
		Stored:    c.newlyStored,
		Archived:  c.archived,
		Started:   c.started,
		Turned:    c.turned,
		Restarted: c.restarted,
		Failed:    func(err error) { c.violationf("simulator", "%v", err) },
	}
	return c
}

func (c *checker) stepped(in lifecycle.Input, out lifecycle.Output) {
	noteRows(c.rows, out)
	given := in
	in = withItems(in, out.State)
	c.lawItems(given, out)
	c.lawDeterministic(given, out)
	c.lawDeclared(in, out)
	c.lawForward("step", in.Saved, out.State)
	c.lawConsistent(in, out)
	c.lawLoadable(out.State)
	c.lawPolicy(in, out)
	c.lawBudget(in, out)
	c.lawScale(in, out.State)
	c.lawRoom(in, out)
	c.lawCompleting(in, out)
	c.lawGone(in, out)
	c.lawDerived(in, out.State)
	c.lawPartial(given, out)
	c.lawActions(in, out)
	c.lawSuspended(in, out)
	c.lawAdmitted(in, out)
	c.lawStarted(in, out)
	c.lawTakenBack(in, out)
	c.lawDeletion(in, out)
	c.lawPlacement(in, out)
	c.lawStartDeadline(in, out)
	c.lawActiveDeadline(in, out)
	c.lawRestart(in, out)
	c.lawNothingToRestart(in, out)
	c.lawEarlier(in, out)
	c.lawAvoidedNodes(in, out)
	c.lawNotStranded(in, out)
	c.lawStartOrder(in, out)
	c.lawOtherFrameworks(in, out)
	c.lawDisrupted(in, out)
	c.lawUnstarted(in, out)
	c.lawArchived(in, out)
	c.noteArchiving(in)
	c.lawLogs(in, out)
	c.lawTurns(in, out)
	c.lawClaims(in, out)
	c.lawRaisedMemory(in, out)
	c.meet(in, out)
}

func (c *checker) newlyStored(framework types.UID, state *lifecycle.State) {
	if c.framework == framework {
		c.lawForward("history", c.stored, state)
		c.lawHeld(c.stored, state)
	}
	eachTask(state, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if s := task.AttemptStatus.CompletionStatus; s != nil && s.Phrase == "DeleteTaskRequested" && !task.DeletionPending {
			c.violationf("S2b: nothing is removed that is not flagged", "%s", ref)
		}
	})
	c.lawFiresOnce(state)
	c.noteEnded(framework, state)
	c.framework, c.stored = framework, state
}

// restarted: a status that somebody has wiped is a new beginning.
func (c *checker) restarted() {
	if c.story.Stored() == nil {
		c.framework, c.stored, c.ends = "", nil, nil
		c.claims = nil
		c.memory, c.items = newMemory(), map[string]string{}
	}
}

func (c *checker) turned() {
	c.noteOutdated()
	c.lawOwnership()
	c.lawPodsAtOnce()
	c.lawSameItem()
	c.lawClaimsStay()
	c.lawMemoryOfPods()
	if !c.lenient {
		c.lawPods()
	}
}

// eachTask calls visit for each Task of the state with its current status.
func eachTask(state *lifecycle.State, visit func(lifecycle.TaskRef, *v1.TaskStatus)) {
	if state == nil {
		return
	}
	for ref, task := range state.Tasks {
		visit(ref, task)
	}
}
