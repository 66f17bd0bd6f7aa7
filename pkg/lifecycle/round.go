package lifecycle

import (
	"fmt"
	"math"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// round is one Step while it is being taken: the next state, built by copying what changes, and the outputs
// collected so far. What is "stored" below is what Input.Saved says.
type round struct {
	in  Input
	now metav1.Time

	status v1.FrameworkStatus // the Framework's own part of the next state
	roles  []*roleDraft
	out    Output
}

// roleDraft is one role of the next state.
type roleDraft struct {
	role
	owned bool             // tasks is the draft's own copy rather than the stored slice
	saved *role            // as stored; nil if the role is new
	spec  *v1.TaskRoleSpec // nil if the spec has no such role
}

func newRound(in Input) *round {
	r := &round{in: in, now: metav1.NewTime(in.Now.UTC().Truncate(time.Second))}
	if view := &r.in.Observed.ConfigMap; view.ConfigMap != nil && view.ConfigMap.UID == view.Gone {
		view.ConfigMap = nil
	}
	if in.Saved == nil {
		return r
	}
	r.status = in.Saved.status
	specs := specsByName(in.Framework.Spec)
	for _, saved := range in.Saved.roles {
		r.roles = append(r.roles, &roleDraft{role: *saved, saved: saved, spec: specs[saved.name]})
	}
	return r
}

// specsByName indexes the roles of the spec; of roles with the same name the first counts.
func specsByName(spec *v1.FrameworkSpec) map[string]*v1.TaskRoleSpec {
	byName := make(map[string]*v1.TaskRoleSpec, len(spec.TaskRoles))
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if byName[role.Name] == nil {
			byName[role.Name] = role
		}
	}
	return byName
}

// output closes the round. A state that equals the stored one is replaced by it, so that "nothing changed" is
// a comparison of pointers.
func (r *round) output() Output {
	r.out.State = &State{status: r.status, roles: r.finishedRoles()}
	if !r.changed() {
		r.out.State = r.in.Saved
	}
	return r.out
}

func (r *round) finishedRoles() []*role {
	roles := make([]*role, len(r.roles))
	for i, draft := range r.roles {
		roles[i] = draft.finished()
	}
	return roles
}

func (d *roleDraft) finished() *role {
	if d.saved != nil && !d.owned && equalPtr(d.timeout, d.saved.timeout) {
		return d.saved
	}
	done := d.role
	return &done
}

func (r *round) changed() bool {
	if r.in.Saved == nil || len(r.out.Moves) > 0 {
		return true
	}
	return !slices.Equal(r.out.State.roles, r.in.Saved.roles) || !equalStatus(&r.status, &r.in.Saved.status)
}

// equalStatus compares what a round may change of a Framework's own part without making a move.
func equalStatus(a, b *v1.FrameworkStatus) bool {
	return equalPtr(a.RetryPolicyStatus.RetryDelaySec, b.RetryPolicyStatus.RetryDelaySec) &&
		a.ObservedGeneration == b.ObservedGeneration &&
		a.Gate == b.Gate &&
		equalPtr(a.Tasks, b.Tasks) &&
		slices.Equal(a.Conditions, b.Conditions)
}

func equalPtr[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// view is what is known about the name of the Task's Pod. A Pod that is gone for certain is not shown, even if
// the cache still has it.
func (r *round) view(ref TaskRef) PodView {
	view := r.in.Observed.Pods[ref]
	if view.Pod != nil && view.Pod.UID == view.Gone {
		view.Pod = nil
	}
	return view
}

// seconds is that long, or as long as a duration can be, rather than overflowing into the past.
func seconds(n int64) time.Duration {
	const most = int64(math.MaxInt64 / time.Second)
	return time.Duration(max(min(n, most), -most)) * time.Second
}

// has reports whether the role has a Task of that index.
func (d *roleDraft) has(index int32) bool { return index >= 0 && int(index) < len(d.tasks) }

// own makes tasks the draft's own, so that it can be written without changing a stored state.
func (d *roleDraft) own() {
	if !d.owned {
		d.tasks, d.owned = slices.Clone(d.tasks), true
	}
}

// update replaces a Task by a changed copy of it.
func (d *roleDraft) update(index int32, change func(*v1.TaskStatus)) {
	d.own()
	next := *d.tasks[index]
	d.tally.remove(&next)
	change(&next)
	d.tally.add(&next)
	d.tasks[index] = &next
}

// append adds a Task at the end.
func (d *roleDraft) append(t *v1.TaskStatus) {
	d.own()
	d.tasks = append(d.tasks, t)
	d.tally.add(t)
}

// dropLast removes the last Task.
func (d *roleDraft) dropLast() {
	d.own()
	last := len(d.tasks) - 1
	d.tally.remove(d.tasks[last])
	d.tasks = d.tasks[:last]
}

// isStored reports whether the Task is stored exactly as the draft has it.
func (d *roleDraft) isStored(index int32) bool {
	return d.saved != nil && int(index) < len(d.saved.tasks) && d.saved.tasks[index] == d.tasks[index]
}

func (r *round) do(a Action)            { r.out.Actions = append(r.out.Actions, a) }
func (r *round) report(e Event)         { r.out.Events = append(r.out.Events, e) }
func (r *round) completing() bool       { return completing(r.status.State) }
func (r *round) stopping() bool         { return r.in.Framework.Spec.ExecutionType == v1.ExecutionStop }
func (r *round) attemptUndecided() bool { return r.status.AttemptStatus.CompletionStatus == nil }

// wakeAt asks for another round at t at the latest.
func (r *round) wakeAt(t time.Time) {
	if r.out.WakeAt.IsZero() || t.Before(r.out.WakeAt) {
		r.out.WakeAt = t
	}
}

// revisit asks for another look at the Task as soon as the next state is stored.
func (r *round) revisit(ref TaskRef) {
	r.out.Again = true
	r.out.Revisit = append(r.out.Revisit, ref)
}

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

// allowed records a move if the table has it, and a fault if not. The core never panics; a refused move leaves
// the Framework where it is.
func (r *round) allowed(row *Transition, from v1.State, ref *TaskRef) bool {
	if !row.allows(from) {
		r.out.Faults = append(r.out.Faults, fmt.Sprintf("row %s does not leave from %q (task %v)", row.ID, from, ref))
		return false
	}
	r.out.Moves = append(r.out.Moves, Move{Task: ref, Row: row.ID, From: from, To: row.To})
	return true
}

// explain names the row of the retry table behind the last move.
func (r *round) explain(row *RetryRow) {
	if last := len(r.out.Moves) - 1; row != nil && last >= 0 {
		r.out.Moves[last].Retry = row.ID
	}
}

// hold records a reason to stay. It changes nothing.
func (r *round) hold(row *Transition) {
	r.out.Holds = append(r.out.Holds, Hold{Row: row.ID})
}

func (r *round) holdTask(t task, row *Transition) {
	ref := t.ref()
	r.out.Holds = append(r.out.Holds, Hold{Task: &ref, Row: row.ID})
}
