package lifecycle

import (
	"slices"
	"strconv"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A role may start after others (TaskRoleSpec.StartAfter). Pods of roles that wait for each other to run hold their nodes
// while they wait, so all of them are created at once, and find their places as one gang; that a role may start is for the
// barrier in its Pods to hear. What waits for the success of others would hold its nodes for nothing, so it is held back: its
// Pods are created later, together with those of the roles that start after it. What has opened stays open, whatever becomes
// of the Tasks then: nobody can be called back who has started.

// openGates decides which roles' Pods may be created, and which roles may start, and returns those whose Pods may be from now
// on. Once the attempt is decided, nothing changes any more.
func (r *round) openGates() (created []*roleDraft) {
	if r.completing() || ended(r.status.State) {
		return nil
	}
	var ordered []*roleDraft
	for _, role := range r.roles {
		if role.startsAfter() {
			ordered = append(ordered, role)
		}
	}
	if ordered == nil {
		r.status.Gates = nil
		return nil
	}
	old := r.status.Gates
	if old == nil {
		old = &v1.RoleGates{}
	}
	next := &v1.RoleGates{}
	next.Created, created = r.openCreation(ordered, old)
	next.Open = r.openStart(ordered, old, next)
	changed := !slices.Equal(next.Created, old.Created) || !slices.Equal(next.Open, old.Open)
	if next.Revision = r.gatesRevision(old, changed); changed || next.Revision != old.Revision || r.status.Gates == nil {
		r.status.Gates = next
	}
	return created
}

func (d *roleDraft) startsAfter() bool { return d.spec != nil && len(d.spec.StartAfter) > 0 }

// openCreation returns all whose Pods may be created, and those of them that are new. The next may depend on one that is, so
// it goes through them until there is no more: of roles that wait for each other in a circle none ever is.
func (r *round) openCreation(ordered []*roleDraft, old *v1.RoleGates) (names []string, created []*roleDraft) {
	may := map[string]bool{}
	for _, role := range ordered {
		if slices.Contains(old.Created, role.name) {
			may[role.name] = true
		}
	}
	for more := true; more; {
		more = false
		for _, role := range ordered {
			if !may[role.name] && r.mayCreate(role, may) {
				may[role.name], more = true, true
				created = append(created, role)
			}
		}
	}
	return sortedNames(ordered, func(role *roleDraft) bool { return may[role.name] }), created
}

// mayCreate reports whether Pods of a role may be created, if those of others may be. A role that the spec does not have is
// not waited for.
func (r *round) mayCreate(role *roleDraft, may map[string]bool) bool {
	for _, s := range role.spec.StartAfter {
		other := r.roleNamed(s.Role)
		switch {
		case other == nil || other.spec == nil:
		case s.Needs() == v1.StartSucceeded && !other.reached(s.Needs()):
			return false
		case s.Needs() != v1.StartSucceeded && other.startsAfter() && !may[other.name]:
			return false
		}
	}
	return true
}

// openStart returns the roles that may start. Success was there when the Pods were created.
func (r *round) openStart(ordered []*roleDraft, old, next *v1.RoleGates) []string {
	return sortedNames(ordered, func(role *roleDraft) bool {
		if slices.Contains(old.Open, role.name) {
			return true
		}
		return slices.Contains(next.Created, role.name) && !slices.ContainsFunc(role.spec.StartAfter, func(s v1.StartAfterSpec) bool {
			other := r.roleNamed(s.Role)
			return s.Needs() != v1.StartSucceeded && other != nil && other.spec != nil && !other.reached(s.Needs())
		})
	})
}

func sortedNames(roles []*roleDraft, which func(*roleDraft) bool) (names []string) {
	for _, role := range roles {
		if which(role) {
			names = append(names, role.name)
		}
	}
	slices.Sort(names)
	return names
}

// reached reports whether each Task that the spec asks for has reached that.
func (d *roleDraft) reached(when v1.StartWhen) bool { return d.tally.reached(when) >= d.wanted() }

// gatesRevision differs from all before whenever the gates do, also from those of other attempts.
func (r *round) gatesRevision(old *v1.RoleGates, changed bool) string {
	if r.status.AttemptStatus.ConfigMapUID == nil {
		return ""
	}
	of := r.instanceUID() + "/"
	number := 0
	if text, ok := strings.CutPrefix(old.Revision, of); ok {
		number, _ = strconv.Atoi(text)
	}
	if changed || number == 0 {
		number++
	}
	return of + strconv.Itoa(number)
}

// heldBack reports whether Pods of the role are not to be created yet.
func (r *round) heldBack(role *roleDraft) bool {
	return role.spec != nil && r.status.Gates.HeldBack(role.spec)
}

// released counts the Tasks of all roles that are not held back, and how many of them the spec asks for.
func (r *round) released() (counts tally, wanted int) {
	for _, role := range r.roles {
		if !r.heldBack(role) {
			counts.merge(role.tally)
			wanted += role.wanted()
		}
	}
	return counts, wanted
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
			if t.State == v1.AttemptCreationPending {
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
		r.readyAwaited = map[string]bool{}
		for i := range r.in.Framework.Spec.TaskRoles {
			for _, s := range r.in.Framework.Spec.TaskRoles[i].StartAfter {
				if s.Needs() == v1.StartReady {
					r.readyAwaited[s.Role] = true
				}
			}
		}
	}
	return r.readyAwaited[role]
}
