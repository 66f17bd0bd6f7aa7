package lifecycle

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// rescale adjusts the Tasks of a live attempt to the spec (contract 5). Each change is stored before it has any effect: an
// added Task before its Pod is created, a flag before the Task is deleted, and a flagged Task's completion before the Task is
// dropped. A flag is never withdrawn.
func (r *round) rescale() {
	if completing(r.status.State) || ended(r.status.State) {
		return
	}
	for _, role := range r.roles {
		r.followItems(role)
	}
	r.removeCompleted()
	r.addMissing(r.taskHeadroom())
	for _, role := range r.roles {
		r.flagSurplus(role)
	}
}

// wanted returns the number of Tasks in the spec; none if the role is gone.
func (d *roleDraft) wanted() int {
	if d.spec == nil {
		return 0
	}
	return max(int(d.spec.TaskNumber), 0)
}

// addMissing appends roles and Tasks that the spec has and the status has not, at most headroom Tasks.
func (r *round) addMissing(headroom int) {
	specs := specsByName(r.in.Framework.Spec)
	for i := range r.in.Framework.Spec.TaskRoles {
		spec := &r.in.Framework.Spec.TaskRoles[i]
		if specs[spec.Name] == spec && r.roleNamed(spec.Name) == nil {
			r.addRole(spec)
		}
	}
	for _, role := range r.roles {
		headroom -= r.addTasks(role, headroom)
	}
}

func (r *round) addRole(spec *v1.TaskRoleSpec) {
	draft := &roleDraft{spec: spec, owned: true}
	draft.name, draft.instanceUID = spec.Name, r.newUID("role", spec.Name, 0)
	draft.timeout = spec.Task.PodGracefulDeletionTimeoutSec
	draft.tasks = []*v1.TaskStatus{}
	draft.items = r.in.Saved.itemsOf(spec.Name) // of the previous attempt
	r.followItems(draft)
	r.roles = append(r.roles, draft)
}

func (r *round) addTasks(role *roleDraft, headroom int) (added int) {
	if role.awaitsItems() {
		return 0
	}
	before := len(role.tasks)
	for len(role.tasks) < min(role.wanted(), before+headroom) {
		index := int32(len(role.tasks))
		role.append(r.newTask(role, index))
		if r.in.Observed.Partial { // there was no headroom before, and nobody else asks for a look at it
			r.requeue(TaskRef{role.name, index})
		}
	}
	if role.saved != nil && len(role.tasks) > before && (role.items == nil || role.saved.items != nil) {
		r.report(Event{Reason: reason.Rescaled, Facts: scaled(role.name, before, len(role.tasks)), Message: fmt.Sprintf("role %s: Tasks %d to %d added", role.name, before, len(role.tasks)-1)})
	}
	return len(role.tasks) - before
}

func scaled(role string, from, to int) reason.Facts {
	return reason.Facts{Role: role, Scale: &reason.Scale{From: int32(from), To: int32(to)}}
}

// flagSurplus marks the Tasks beyond the number in the spec. From then on they have no influence and cannot be kept. They are
// flagged from the end, so a role that is not being scaled down costs nothing.
func (r *round) flagSurplus(role *roleDraft) {
	first, flagged := len(role.tasks), 0
	for i := len(role.tasks) - 1; i >= role.wanted(); i-- {
		if role.tasks[i].DeletionPending {
			continue
		}
		first, flagged = i, flagged+1
		t := task{r, role, int32(i)}
		unborn := t.unborn()
		t.update(func(s *v1.TaskStatus) { s.DeletionPending = true })
		t.decideCode(completion.CodeDeleteTaskRequested, diagnosticsScaledDown)
		if unborn {
			t.move(&t2)
		}
	}
	if first < len(role.tasks) {
		r.report(Event{Reason: reason.Rescaled, Facts: scaled(role.name, first+flagged, first), Message: fmt.Sprintf("role %s: Tasks from %d on are being removed", role.name, first)})
	}
}

// removeCompleted drops flagged Tasks whose completion is stored, as it is at the beginning of a round, and archived: from the end until the
// first Task that stays, and within the spec's number by replacing them with a new instance.
func (r *round) removeCompleted() {
	for _, role := range r.roles {
		for len(role.tasks) > role.wanted() && r.removable(role, len(role.tasks)-1) {
			r.moveOut(role, len(role.tasks)-1)
			role.dropLast()
		}
		r.replaceRemovable(role)
	}
	r.roles = slices.DeleteFunc(r.roles, func(d *roleDraft) bool { return d.spec == nil && len(d.tasks) == 0 })
}

// replaceRemovable scans the role only if the counts show that there is something to replace.
func (r *round) replaceRemovable(role *roleDraft) {
	if role.tally.removable == 0 {
		return
	}
	for i := range min(len(role.tasks), role.wanted()) {
		if !r.removable(role, i) {
			continue
		}
		r.moveOut(role, i)
		role.update(int32(i), func(s *v1.TaskStatus) { *s = *r.newTask(role, int32(i)) })
	}
}

func (r *round) removable(role *roleDraft, i int) bool {
	s := role.tasks[i]
	return s.DeletionPending && s.State == v1.Completed && task{r, role, int32(i)}.archived()
}

func (r *round) moveOut(role *roleDraft, i int) {
	ref := TaskRef{role.name, int32(i)}
	r.allowed(&t14, v1.Completed, &ref)
}

// copyTimeouts updates the copy of every role's timeout in the status. So the timeout outlives the role, and setting it helps
// a stuck Framework (contract 2.8).
func (r *round) copyTimeouts() {
	if r.status.State == v1.Completed {
		return
	}
	for _, role := range r.roles {
		if role.spec != nil {
			role.timeout = role.spec.Task.PodGracefulDeletionTimeoutSec
		}
	}
}
