package lifecycle

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// roleDraft is one role of the next state.
type roleDraft struct {
	role
	owned bool             // tasks is the draft's own copy rather than the stored slice
	saved *role            // as stored; nil if the role is new
	spec  *v1.TaskRoleSpec // nil if the spec has no such role
}

func (d *roleDraft) finished() *role {
	if d.saved != nil && !d.owned && equalPtr(d.timeout, d.saved.timeout) && d.retried == d.saved.retried && d.items == d.saved.items {
		return d.saved
	}
	done := d.role
	done.findFirstNew()
	return &done
}

// own makes tasks the draft's own, so that it can be written without changing a stored state.
func (d *roleDraft) own() {
	if !d.owned {
		d.tasks, d.owned = slices.Clone(d.tasks), true
	}
}

// has reports whether the role has a Task of that index.
func (d *roleDraft) has(index int32) bool { return index >= 0 && int(index) < len(d.tasks) }

// update replaces a Task by a changed copy of it.
func (d *roleDraft) update(index int32, change func(*v1.TaskStatus)) {
	d.own()
	next := *d.tasks[index]
	d.tally.remove(&next)
	change(&next)
	d.tally.add(&next)
	d.tasks[index] = &next
	d.noteNew(&next, int(index))
}

// noteNew keeps firstNew before or at a Task that waits for its first turn.
func (d *roleDraft) noteNew(t *v1.TaskStatus, index int) {
	if awaitsFirstTurn(t) {
		d.firstNew = min(d.firstNew, index)
	}
}

// append adds a Task at the end.
func (d *roleDraft) append(t *v1.TaskStatus) {
	d.own()
	d.tasks = append(d.tasks, t)
	d.tally.add(t)
	d.noteNew(t, len(d.tasks)-1)
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
