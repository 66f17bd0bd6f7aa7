package counts

import (
	"slices"
	"sync/atomic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Invalid is the state of a Framework that is left alone because its stored object is invalid.
const Invalid v1.State = "Invalid"

// states are the states by which Frameworks and Tasks are counted; Tasks are never Invalid.
var states = [...]v1.State{
	v1.AttemptCreationPending, v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning,
	v1.AttemptDeletionPending, v1.AttemptDeletionRequested, v1.AttemptDeleting, v1.AttemptCompleted, v1.Completed, Invalid,
}

// Other stands for the reasons of the condition Waiting that have no count of their own.
const Other = "other"

// ByState is the number of Frameworks and Tasks in a state, as stored.
type ByState struct {
	State             v1.State
	Frameworks, Tasks int64
}

// ByReason is the number of Frameworks that wait for one reason, as stored.
type ByReason struct {
	// Reason of the condition Waiting, or Other.
	Reason     string
	Frameworks int64
}

// StateCounts sums up the Counted of all Frameworks. It is safe for concurrent use by rounds of several Frameworks.
type StateCounts struct {
	reasons           []string                  // the last is Other
	frameworks, tasks [len(states)]atomic.Int64 // indexed like states
	waiting           []atomic.Int64            // numbers of Frameworks, indexed like reasons
}

// New returns counts without Frameworks. A Framework that waits is counted by its reason if it is one of reasons, or as Other.
func New(reasons []reason.Waiting) *StateCounts {
	var names []string
	for _, r := range reasons {
		names = append(names, string(r))
	}
	return &StateCounts{reasons: append(names, Other), waiting: make([]atomic.Int64, len(reasons)+1)}
}

// States returns the numbers of Frameworks and Tasks in each state, in the order of the lifecycle.
func (n *StateCounts) States() []ByState {
	all := make([]ByState, len(states))
	for i, s := range states {
		all[i] = ByState{s, n.frameworks[i].Load(), n.tasks[i].Load()}
	}
	return all
}

// Waiting returns the numbers of waiting Frameworks, by reason.
func (n *StateCounts) Waiting() []ByReason {
	all := make([]ByReason, len(n.reasons))
	for i, reason := range n.reasons {
		all[i] = ByReason{reason, n.waiting[i].Load()}
	}
	return all
}

// Counted is the share of one Framework in the counts. The zero value is a Framework that is not counted.
type Counted struct {
	of        *lifecycle.State // the counted state; nil if it has to be counted again
	framework int              // 1 + the index of its state in states; 0 if it is not counted
	waiting   int              // 1 + the index of its reason in reasons; 0 if it waits for nothing
	tasks     [len(states)]int32
}

// State returns the last counted state; nil if the Framework is not counted by its stored status.
func (c *Counted) State() *lifecycle.State { return c.of }

// Apply updates the counts to the state that a round has stored. Waiting is the reason of the condition Waiting; empty if the
// Framework is not waiting. Whole: Tasks may have been added without a move.
func (n *StateCounts) Apply(was *Counted, out lifecycle.Output, waiting string, whole bool) {
	if was.of == out.State {
		return
	}
	now := Counted{of: out.State, framework: 1 + index(out.State.Framework().State), waiting: n.reason(waiting)}
	if was.of == nil || whole || slices.ContainsFunc(out.Moves, structural) {
		now.tasks = countTasks(out.State)
	} else {
		now.tasks = was.tasks
		for i := range out.Moves {
			now.tasks[index(out.Moves[i].From)]--
			now.tasks[index(out.Moves[i].To)]++
		}
	}
	n.replace(was, now)
}

// structural reports whether more than the state of one Task may have changed: an attempt of the Framework brings its own
// Tasks, and a removed Task may be replaced.
func structural(m lifecycle.Move) bool { return m.Task == nil || m.To == "" || m.From == "" }

func countTasks(s *lifecycle.State) (tasks [len(states)]int32) {
	for _, t := range s.Tasks {
		tasks[index(t.State)]++
	}
	return tasks
}

// index returns the index of a state; an unknown one counts as Invalid.
func index(s v1.State) int {
	if i := slices.Index(states[:], s); i >= 0 {
		return i
	}
	return len(states) - 1
}

// MarkInvalid counts a Framework as Invalid.
func (n *StateCounts) MarkInvalid(was *Counted) {
	n.replace(was, Counted{framework: 1 + index(Invalid), tasks: was.tasks})
}

// LeaveOut counts a Framework without any decision about it, as waiting for the given reason. The Framework stays in its
// state, which is the first one if it has not begun.
func (n *StateCounts) LeaveOut(was *Counted, why reason.Waiting) {
	now := *was
	now.of, now.framework, now.waiting = nil, max(was.framework, 1), n.reason(string(why))
	n.replace(was, now)
}

// reason returns 1 + the index of a waiting reason in reasons; 0 for an empty one.
func (n *StateCounts) reason(waiting string) int {
	if waiting == "" {
		return 0
	}
	if i := slices.Index(n.reasons, waiting); i >= 0 {
		return 1 + i
	}
	return len(n.reasons)
}

// Add counts a Framework with the share that it has in other counts.
func (n *StateCounts) Add(c Counted) { n.replace(&Counted{}, c) }

// Forget removes a Framework from the counts.
func (n *StateCounts) Forget(was *Counted) { n.replace(was, Counted{}) }

func (n *StateCounts) replace(was *Counted, now Counted) {
	move(n.frameworks[:], was.framework, now.framework)
	move(n.waiting[:], was.waiting, now.waiting)
	for i := range now.tasks {
		if difference := now.tasks[i] - was.tasks[i]; difference != 0 {
			n.tasks[i].Add(int64(difference))
		}
	}
	*was = now
}

// move moves one Framework from one count to another. From and to are 1 + an index; 0 means none.
func move(counts []atomic.Int64, from, to int) {
	if from == to {
		return
	}
	if from > 0 {
		counts[from-1].Add(-1)
	}
	if to > 0 {
		counts[to-1].Add(1)
	}
}
