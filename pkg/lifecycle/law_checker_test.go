package lifecycle_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// witness watches a story and complains whenever a promise of this package is broken. The laws are spread over
// the law_*_test.go files.
type witness struct {
	story *lifecycletest.Story
	// complain is called with the name of the law and what broke it.
	complain func(law, format string, args ...any)
	// lenient turns off the laws about running Pods, which hold only if nobody deletes ConfigMaps or Frameworks
	// in the background (contract 11, preconditions).
	lenient bool

	framework types.UID
	stored    *lifecycle.State
	rows      map[string]bool
	scheduled map[string]budget // by "framework" or Task: the policy that its latest retry with a delay was scheduled by
	actions   int
}

func newWitness(t testing.TB, story *lifecycletest.Story) *witness {
	w := &witness{story: story, rows: map[string]bool{}, scheduled: map[string]budget{}}
	w.complain = func(law, format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s", law, fmt.Sprintf(format, args...))
	}
	story.Hooks = lifecycletest.Hooks{
		Stepped:   w.stepped,
		Stored:    w.newlyStored,
		Started:   w.started,
		Turned:    w.turned,
		Restarted: w.restarted,
		Failed:    func(err error) { w.complain("simulator", "%v", err) },
	}
	return w
}

func (w *witness) stepped(in lifecycle.Input, out lifecycle.Output) {
	noteRows(w.rows, out)
	w.lawDeterministic(in, out)
	w.lawDeclared(in, out)
	w.lawForward("step", in.Saved, out.State)
	w.lawConsistent(in, out)
	w.lawLoadable(out.State)
	w.lawPolicy(in, out)
	w.lawBudget(in, out)
	w.lawScale(in, out.State)
	w.lawRoom(in, out)
	w.lawCompleting(in, out)
	w.lawGone(in, out)
	w.lawDerived(in, out.State)
	w.lawPartial(in, out)
	w.lawActions(in, out)
}

func (w *witness) newlyStored(framework types.UID, state *lifecycle.State) {
	if w.framework == framework {
		w.lawForward("history", w.stored, state)
	}
	eachTask(state, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if s := task.AttemptStatus.CompletionStatus; s != nil && s.Phrase == "DeleteTaskRequested" && !task.DeletionPending {
			w.complain("S2b: nothing is removed that is not flagged", "%s", ref)
		}
	})
	w.framework, w.stored = framework, state
}

// restarted: a status that somebody has wiped is a new beginning.
func (w *witness) restarted() {
	if w.story.Stored() == nil {
		w.framework, w.stored = "", nil
	}
}

func (w *witness) turned() {
	w.lawOwnership()
	if !w.lenient {
		w.lawPods()
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
