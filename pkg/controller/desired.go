package controller

import (
	"sync"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// desired is the stored state of a Framework, for its actions in the pool: an action may no longer be wanted when its turn
// comes.
type desired struct {
	mu    sync.Mutex
	state *lifecycle.State // as stored; nil if nothing is wanted at all
	holds bool             // nothing is created for the Framework, temporarily or for good
}

func (d *desired) set(state *lifecycle.State, holds bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state, d.holds = state, holds
}

// createsNothing reports whether nothing may be created for the Framework: it is suspended or being deleted.
func createsNothing(f *lifecycle.Framework) bool {
	return f.Deleting || lifecycle.Suspended(f.Spec)
}

// wants reports whether an action may still be performed. Only creations and deletions of claims can be too late: other
// deletions are for one UID, and reads do no harm.
func (d *desired) wants(a lifecycle.Action) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state == nil {
		return false
	}
	switch a := a.(type) {
	case lifecycle.CreateConfigMap:
		f := d.state.Framework()
		return !d.holds && f.State == v1.AttemptCreationPending && f.AttemptStatus.ID == a.AttemptID
	case lifecycle.CreatePod:
		return !d.holds && live(d.state.Framework().State) && awaits(d.state.Task(a.Task), a)
	case lifecycle.KeepCompanion:
		return !d.holds && d.state.Framework().State != v1.Completed && d.state.Has(a.Companion)
	case lifecycle.KeepClaim:
		return !d.holds && live(d.state.Framework().State) && d.state.MayKeep(a.Claim)
	case lifecycle.DeleteClaim:
		return d.state.Removes(a.Claim)
	}
	return true
}

func live(s v1.State) bool { return s == v1.AttemptPreparing || s == v1.AttemptRunning }

// awaits reports whether a Task is waiting for this very Pod. A Task that restarts along with others no longer is, nor is one whose
// turn was taken back.
func awaits(t *v1.TaskStatus, a lifecycle.CreatePod) bool {
	return t != nil && t.State == v1.AttemptCreationPending && !t.DeletionPending && t.AttemptStatus.CompletionStatus == nil && !t.AttemptStatus.AwaitsTurn &&
		t.InstanceUID == a.TaskUID && t.AttemptStatus.ID == a.AttemptID
}
