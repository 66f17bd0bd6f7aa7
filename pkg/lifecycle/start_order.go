package lifecycle

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
)

// Package gates decides which roles' Pods may be created and which roles may start. Here its answer is stored, and what
// follows from it is done.

// noteCompleted stores the other Frameworks that roles start after and that have completed. They are stored together with the gates
// that open by it, before any Pod is created.
func (r *round) noteCompleted() {
	if r.status.State != v1.Completed {
		r.status.StartedAfter = gates.Completed(r.in.Framework.Spec, r.status.StartedAfter, r.in.Observed.Others)
	}
}

// openGates stores the gates of the roles, and returns the roles whose Pods may be created from now on. Once the attempt is
// decided, nothing changes any more.
func (r *round) openGates() (created []*roleDraft) {
	if r.completing() || ended(r.status.State) {
		return nil
	}
	if !r.anyStartsAfter() {
		r.status.Gates = nil
		return nil
	}
	var roles []gates.Role
	for _, role := range r.roles {
		if role.spec != nil {
			roles = append(roles, role.asGated())
		}
	}
	next, names := gates.Open(roles, r.status.StartedAfter, r.status.Gates, r.instanceUID())
	r.status.Gates = next
	for _, name := range names {
		created = append(created, r.roleNamed(name))
	}
	return created
}

func (r *round) anyStartsAfter() bool {
	for _, role := range r.roles {
		if role.spec != nil && len(role.spec.StartAfter) > 0 {
			return true
		}
	}
	return false
}

// asGated is what the start order needs of a role, which the spec has.
func (d *roleDraft) asGated() gates.Role {
	return gates.Role{Spec: d.spec, Wanted: d.wanted(), Progress: d.tally.progress()}
}

// heldBack reports whether Pods of the role are not to be created yet.
func (r *round) heldBack(role *roleDraft) bool {
	return role.spec != nil && r.status.Gates.HeldBack(role.spec)
}

// released counts the Tasks of all roles that are not held back, and how many of them the spec asks for. A role counts as many as may
// run at once.
func (r *round) released() (counts tally, wanted int) {
	for _, role := range r.roles {
		if !r.heldBack(role) {
			counts.merge(role.tally.atOnce(role.turns()))
			wanted += min(role.wanted(), role.turns())
		}
	}
	return counts, wanted
}

// gate is the attempt's instance UID while every Task that the spec asks for has an address, and none waits for its
// retry: then, and only then, may the application start (contract 10.2, which knows of no Task that waits). Tasks that are
// held back come later, and only if the others start. Tasks that wait for a turn come when others have ended, so that a gate
// which waited for them would never open.
func (r *round) gate() string {
	if counts, wanted := r.released(); !r.live() || counts.addressed < wanted {
		return ""
	}
	return r.instanceUID()
}

// instanceUID is that of the attempt; empty while it has no ConfigMap.
func (r *round) instanceUID() string {
	a := &r.status.AttemptStatus
	if a.ConfigMapUID == nil {
		return ""
	}
	return v1.InstanceUID(a.ID, string(*a.ConfigMapUID))
}

// lookAtCreated has the Framework looked at, and the Tasks whose Pods may be created now, as nothing else does. Theirs is the
// next round: this one's state is stored by then.
func (r *round) lookAtCreated(created []*roleDraft) {
	if !r.live() || len(created) == 0 {
		return
	}
	r.out.Requeue = true
	for _, role := range created {
		for i, t := range role.tasks {
			if t.State == v1.AttemptCreationPending && !awaitsTurn(t) {
				r.requeue(TaskRef{role.name, int32(i)})
			}
		}
	}
}

// noteReady records that the Pod has been ready, if another role waits for that.
func (t task) noteReady(pod *Pod) {
	if pod.Ready && t.status().AttemptStatus.ReadyTime == nil && t.undecided() && t.r.awaitsReady(t.role.name) {
		now := t.r.now
		t.update(func(s *v1.TaskStatus) { s.AttemptStatus.ReadyTime = &now })
	}
}

// awaitsReady reports whether some role starts when that one is ready.
func (r *round) awaitsReady(role string) bool {
	if r.readyAwaited == nil {
		r.readyAwaited = gates.AwaitedReady(r.in.Framework.Spec)
	}
	return r.readyAwaited[role]
}
