package counts

import (
	"slices"
	"sync/atomic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// Invalid stands for the state of a Framework that is left alone because what is stored of it makes no sense.
const Invalid v1.State = "Invalid"

// states are those that Frameworks and Tasks are counted by; Tasks are never Invalid.
var states = [...]v1.State{
	v1.AttemptCreationPending, v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning,
	v1.AttemptDeletionPending, v1.AttemptDeletionRequested, v1.AttemptDeleting, v1.AttemptCompleted, v1.Completed, Invalid,
}

// Other stands for the reasons of the condition Waiting that are not counted by themselves.
const Other = "other"

// ByState is how many Frameworks and Tasks are in a state, as stored.
type ByState struct {
	State             v1.State
	Frameworks, Tasks int64
}

// ByReason is how many Frameworks wait for one reason, as stored.
type ByReason struct {
	// Reason of the condition Waiting, or Other.
	Reason     string
	Frameworks int64
}

// StateCounts sums up what all Frameworks have Counted. Rounds of several Frameworks may use it at the same time.
type StateCounts struct {
	reasons           []string                  // the last is Other
	frameworks, tasks [len(states)]atomic.Int64 // by the index of the state in states
	waiting           []atomic.Int64            // Frameworks, by the index of the reason in reasons
}

// New returns the counts of no Frameworks. Those that wait are counted by the reasons, or as Other.
func New(reasons []string) *StateCounts {
	return &StateCounts{reasons: append(slices.Clone(reasons), Other), waiting: make([]atomic.Int64, len(reasons)+1)}
}

// States returns how many Frameworks and Tasks are in each state, in the order in which they go through them.
func (n *StateCounts) States() []ByState {
	all := make([]ByState, len(states))
	for i, s := range states {
		all[i] = ByState{s, n.frameworks[i].Load(), n.tasks[i].Load()}
	}
	return all
}

// Waiting returns how many Frameworks wait, for each reason.
func (n *StateCounts) Waiting() []ByReason {
	all := make([]ByReason, len(n.reasons))
	for i, reason := range n.reasons {
		all[i] = ByReason{reason, n.waiting[i].Load()}
	}
	return all
}

// Counted is what the counts have of one Framework. The zero value is one that is not counted.
type Counted struct {
	of        *lifecycle.State // that was counted; nil if it is to be counted anew
	framework int              // 1 + the index of its state in states; 0 if it is not counted
	waiting   int              // 1 + the index of its reason in reasons; 0 if it waits for nothing
	tasks     [len(states)]int32
}

// State returns the state that was counted last; nil if the Framework is not counted by what is stored of it.
func (c *Counted) State() *lifecycle.State { return c.of }

// Apply brings the counts up to date with what a round has stored. Waiting is the reason of the condition Waiting; empty if
// the Framework waits for nothing. Whole: Tasks may have come that no move tells of.
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

// structural reports whether more may have changed than the state of one Task: an attempt of the Framework brings
// Tasks of its own, and a Task that is removed may be replaced.
func structural(m lifecycle.Move) bool { return m.Task == nil || m.To == "" || m.From == "" }

func countTasks(s *lifecycle.State) (tasks [len(states)]int32) {
	for _, t := range s.Tasks {
		tasks[index(t.State)]++
	}
	return tasks
}

// index counts a state that there is none of as Invalid.
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

// LeaveOut counts a Framework of which nothing is decided as waiting for that reason. It stays in the state that it is in,
// which is the first if it has not begun.
func (n *StateCounts) LeaveOut(was *Counted, reason string) {
	now := *was
	now.of, now.framework, now.waiting = nil, max(was.framework, 1), n.reason(reason)
	n.replace(was, now)
}

// reason is 1 + the index of what a Framework waits for in reasons; 0 if it waits for nothing.
func (n *StateCounts) reason(waiting string) int {
	if waiting == "" {
		return 0
	}
	if i := slices.Index(n.reasons, waiting); i >= 0 {
		return 1 + i
	}
	return len(n.reasons)
}

// Add counts a Framework as what it is counted as elsewhere.
func (n *StateCounts) Add(c Counted) { n.replace(&Counted{}, c) }

// Forget takes a Framework out.
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

// move counts one Framework elsewhere than before. From and to are 1 + an index; 0 is nowhere.
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
