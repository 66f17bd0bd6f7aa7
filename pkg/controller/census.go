package controller

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

// Population is how many Frameworks and Tasks are in a state, as stored.
type Population struct {
	State             v1.State
	Frameworks, Tasks int64
}

// Census returns how many Frameworks and Tasks are in each state. It costs the same however many there are.
func (c *Controller) Census() []Population {
	all := make([]Population, len(states))
	for i, s := range states {
		all[i] = Population{s, c.reporter.census.frameworks[i].Load(), c.reporter.census.tasks[i].Load()}
	}
	return all
}

// census counts what all records have counted, by the place of the state in states, or of the reason to wait. It is kept up
// to date by rounds, each for what has changed in it, so that to read it needs no lock.
type census struct {
	frameworks, tasks [len(states)]atomic.Int64
	waiting           [len(waitingReasons)]atomic.Int64 // Frameworks, by the place of the reason
}

// counted is what the census has of one Framework.
type counted struct {
	of        *lifecycle.State // that was counted; nil if it is to be counted anew
	framework int              // 1 + the place of its state in states; 0 if it is not counted
	waiting   int              // 1 + the place of its reason in waitingReasons; 0 if it waits for nothing
	tasks     [len(states)]int32
}

// follow brings the census up to date with what a round has stored. Whole: Tasks may have come that no move tells of.
func (n *census) follow(was *counted, out lifecycle.Output, whole bool) {
	if was.of == out.State {
		return
	}
	now := counted{of: out.State, framework: 1 + placeOf(out.State.Framework().State), waiting: placeOfWaiting(out.State)}
	if was.of == nil || whole || slices.ContainsFunc(out.Moves, structural) {
		now.tasks = countTasks(out.State)
	} else {
		now.tasks = was.tasks
		for i := range out.Moves {
			now.tasks[placeOf(out.Moves[i].From)]--
			now.tasks[placeOf(out.Moves[i].To)]++
		}
	}
	n.replace(was, now)
}

// structural reports whether more may have changed than the state of one Task: an attempt of the Framework brings
// Tasks of its own, and a Task that is removed may be replaced.
func structural(m lifecycle.Move) bool { return m.Task == nil || m.To == "" || m.From == "" }

func countTasks(s *lifecycle.State) (tasks [len(states)]int32) {
	for _, t := range s.Tasks {
		tasks[placeOf(t.State)]++
	}
	return tasks
}

// placeOf counts a state that there is none of as Invalid.
func placeOf(s v1.State) int {
	if i := slices.Index(states[:], s); i >= 0 {
		return i
	}
	return len(states) - 1
}

// park counts a Framework as Invalid.
func (n *census) park(was *counted) {
	n.replace(was, counted{framework: 1 + placeOf(Invalid), tasks: was.tasks})
}

// leaveOut counts a Framework as waiting for memory, in the state that it is in, which is the first if it has not begun.
func (n *census) leaveOut(was *counted) {
	now := *was
	now.of, now.framework, now.waiting = nil, max(was.framework, 1), 1+slices.Index(waitingReasons[:], memoryLimitReached)
	n.replace(was, now)
}

// forget takes a Framework out.
func (n *census) forget(was *counted) { n.replace(was, counted{}) }

func (n *census) replace(was *counted, now counted) {
	move(n.frameworks[:], was.framework, now.framework)
	move(n.waiting[:], was.waiting, now.waiting)
	for i := range now.tasks {
		if difference := now.tasks[i] - was.tasks[i]; difference != 0 {
			n.tasks[i].Add(int64(difference))
		}
	}
	*was = now
}

// move counts one Framework at another place than before. Places are from 1 on; 0 is none.
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
