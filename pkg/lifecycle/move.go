package lifecycle

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// move takes the Framework along a row of its table, and keeps the times that every row keeps.
func (r *round) move(row *Transition) {
	if !r.allowed(row, r.status.State, nil) {
		return
	}
	r.status.State, r.status.TransitionTime = row.To, r.now
	now := r.now
	switch row.To {
	case v1.AttemptRunning:
		r.status.AttemptStatus.RunTime = &now
		if r.status.RunTime == nil {
			r.status.RunTime = &now
		}
	case v1.AttemptCompleted:
		r.status.AttemptStatus.CompletionTime = &now
	case v1.Completed:
		r.status.CompletionTime = &now
	}
}

// allowed records a move if the table contains it, and a fault otherwise. The core never panics; a refused move leaves the
// Framework in its state.
func (r *round) allowed(row *Transition, from v1.State, ref *TaskRef) bool {
	if !row.allows(from) {
		r.out.Faults = append(r.out.Faults, fmt.Sprintf("row %s does not leave from %q (task %v)", row.ID, from, ref))
		return false
	}
	r.out.Moves = append(r.out.Moves, Move{Task: ref, Row: row.ID, From: from, To: row.To})
	return true
}

// explain names the row of the retry table behind the last move.
func (r *round) explain(row retry.RowID) {
	if last := len(r.out.Moves) - 1; last >= 0 {
		r.out.Moves[last].Retry = row
	}
}

// hold records a reason to keep the state. It changes nothing.
func (r *round) hold(row *Transition) {
	r.out.Holds = append(r.out.Holds, Hold{Row: row.ID})
}

func (r *round) holdTask(t task, row *Transition) {
	ref := t.ref()
	r.out.Holds = append(r.out.Holds, Hold{Task: &ref, Row: row.ID})
}
