package lifecycle

import (
	"math"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A role with parallelism limits the Tasks that have a Pod at once. Each of them has its turn, from the round that releases its Pod
// until the Pod is gone for good. The others are pending, and marked as waiting in the status (awaitsTurn). They get no look, no
// action and no UID, so that a role of 10,000 Tasks costs no more than its running Tasks.
//
// The mark is removed before the Pod is created, in the write that stores the end of the Pod before. After a crash, the status still
// shows which Tasks have their turn, even if the answers to creations were lost. Turns are given in the order of the index, first to
// retried Tasks, then to Tasks that have not begun. A Task whose retry waits for a delay has no turn meanwhile.

// limited reports whether the role has a parallelism.
func (d *roleDraft) limited() bool { return d.spec != nil && d.spec.Parallelism != nil }

// turns returns how many Tasks of the role may have their turn at once.
func (d *roleDraft) turns() int {
	if !d.limited() {
		return math.MaxInt
	}
	return max(int(*d.spec.Parallelism), 1)
}

// TasksAtOnce returns the maximum number of a role's Tasks that run at once, and how many of these places no longer need a node because
// fewer Tasks are left. completed is the number of permanently completed Tasks.
func TasksAtOnce(role *v1.TaskRoleSpec, completed int) (number, over int) {
	number = int(role.AtOnce())
	if role.Parallelism == nil {
		return number, completed
	}
	return number, max(0, number-max(0, int(role.TaskNumber)-completed))
}

// awaitsTurn reports whether the Task waits for its turn to have a Pod.
func awaitsTurn(t *v1.TaskStatus) bool { return t.AttemptStatus.AwaitsTurn && !t.DeletionPending }

// awaitsFirstTurn reports whether the Task waits so, and is not retried.
func awaitsFirstTurn(t *v1.TaskStatus) bool { return awaitsTurn(t) && t.AttemptStatus.ID == 0 }

// hasTurn reports whether the Task has a Pod, or may have one any time. A Task retried without a delay keeps its turn.
func hasTurn(t *v1.TaskStatus) bool {
	switch t.State {
	case v1.Completed:
		return false
	case v1.AttemptCompleted:
		return t.RetryPolicyStatus.RetryDelaySec == nil
	}
	return !t.AttemptStatus.AwaitsTurn
}

// keepsTurn reports whether a retried Task keeps its turn: it has not waited for a delay, and the spec has not reduced the turns
// meanwhile.
func (t task) keepsTurn() bool {
	return !t.role.limited() || hasTurn(t.status()) && t.role.tally.holding <= t.role.turns()
}

// unborn reports whether the Task never had a turn, so that its Pod was never requested.
func (t task) unborn() bool { return awaitsFirstTurn(t.status()) && t.status().InstanceUID == "" }

// findFirstNew updates firstNew after changes of the Tasks: only Tasks before it are known not to wait.
func (r *role) findFirstNew() {
	r.firstNew = min(r.firstNew, len(r.tasks))
	for r.firstNew < len(r.tasks) && !awaitsFirstTurn(r.tasks[r.firstNew]) {
		r.firstNew++
	}
}

// giveTurns gives free turns to waiting Tasks. They are looked at in the next round, once the turns are stored.
func (r *round) giveTurns() {
	if !r.live() || r.in.Framework.Deleting {
		return
	}
	restartingAll := r.tally().restartingAll > 0
	for _, role := range r.roles {
		r.takeTurnsBack(role)
		switch {
		case role.tally.waiting == 0, r.heldBack(role):
		case restartingAll, role.tally.restarting > 0:
			// The Pods of the restarting Tasks must be gone first.
		default:
			r.giveTurnsOf(role)
		}
	}
}

func (r *round) giveTurnsOf(role *roleDraft) {
	for i := 0; role.tally.waitingAgain > 0 && role.tally.holding < role.turns(); i++ {
		if t := (task{r, role, int32(i)}); awaitsTurn(t.status()) && !awaitsFirstTurn(t.status()) {
			t.giveTurn()
		}
	}
	for role.tally.waiting > 0 && role.tally.holding < role.turns() {
		role.findFirstNew()
		task{r, role, int32(role.firstNew)}.giveTurn()
	}
}

func (t task) giveTurn() {
	t.update(t.leaveQueue)
	t.r.requeue(t.ref())
}

// leaveQueue removes the mark of a Task that waits, and gives the Task its UID.
func (t task) leaveQueue(s *v1.TaskStatus) {
	if s.AttemptStatus.AwaitsTurn && s.InstanceUID == "" {
		s.InstanceUID = t.newTurnUID()
	}
	s.AttemptStatus.AwaitsTurn = false
}

// takeTurnsBack makes Tasks without a Pod wait again, from the end, when an edit of the spec has reduced the turns. Tasks whose Pod exists or
// may be under way keep their turn. The round that sees the new spec looks at all Tasks, and later rounds at those whose Pod they would
// create: an earlier creation has failed after all.
func (r *round) takeTurnsBack(role *roleDraft) {
	if r.in.Saved == nil || role.tally.holding <= role.turns() {
		return
	}
	before := role.tally.waiting
	if !r.in.Observed.Partial && r.in.Saved.status.ObservedGeneration != r.in.Framework.Generation {
		for i := len(role.tasks) - 1; i >= 0; i-- {
			task{r, role, int32(i)}.takeTurnBack()
		}
	} else {
		for _, a := range slices.Backward(r.out.Actions) {
			if create, ok := a.(CreatePod); ok && create.Task.Role == role.name {
				task{r, role, create.Task.Index}.takeTurnBack()
			}
		}
	}
	if role.tally.waiting == before {
		return
	}
	r.out.Actions = slices.DeleteFunc(r.out.Actions, func(a Action) bool {
		create, ok := a.(CreatePod)
		return ok && create.Task.Role == role.name && awaitsTurn(role.tasks[create.Task.Index])
	})
}

// takeTurnBack makes the Task wait again if more Tasks than may have a turn have one, and it does not need its turn yet.
func (t task) takeTurnBack() {
	if t.role.tally.holding > t.role.turns() && t.isOnlyWished() {
		t.update(func(s *v1.TaskStatus) { s.AttemptStatus.AwaitsTurn = true })
	}
}

// isOnlyWished reports whether the Task waits for its Pod to be created, and the creation has certainly not begun.
func (t task) isOnlyWished() bool {
	s, view := t.status(), t.view()
	return s.State == v1.AttemptCreationPending && t.undecided() && !s.DeletionPending && s.AttemptStatus.AwaitedRestart == nil &&
		!s.AttemptStatus.AwaitsTurn && view.Pod == nil && !view.Unsure
}
