package lifecycle

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// The items of a role are frozen when an attempt begins: until its ConfigMap may exist, the status follows the spec, and from then on a
// list counts only if it begins with the stored items. Items behind these are added as by a rescale. The status has a digest and no
// items, so the shell has to know a list with that digest; as long as it knows none, no Pod of the role is created.
//
// An attempt may begin before its list is known, as after a restart of the controller. Until then it has the number of items of the
// attempt before: with fewer Tasks, the memory that Tasks have learned to need, and the claims of their volumes, would be dropped.

// ItemsView is the knowledge about the items of a role in the spec. The zero value knows nothing.
type ItemsView struct {
	// List as last read; nil if it was not read, or is not usable.
	List *items.List
	// Held is an earlier list with which the attempt has begun; nil if the shell has none beside List.
	Held *items.List
	// Problem is why List is not usable, in words; empty if it is, or was not read.
	Problem string
	// ReadAt is when the ConfigMap was last read; zero if it was not, and for items in the spec.
	ReadAt time.Time
}

// Of returns the list with which Pods of the stored items are created; nil if it is not known.
func (v ItemsView) Of(stored *v1.ItemsStatus) *items.List {
	switch {
	case v.List.BeginsWith(stored):
		return v.List
	case v.Held.BeginsWith(stored):
		return v.Held
	}
	return nil
}

// How long after a ConfigMap with items was read it is read again: while Tasks or the attempt wait for it, and otherwise.
const (
	itemsPatience = 10 * time.Second
	itemsInterval = time.Minute
)

// WithItems returns the spec with the numbers of Tasks that its roles have in the attempt; the spec itself if no role has items. The
// state is nil if there is none.
func WithItems(spec *v1.FrameworkSpec, s *State) *v1.FrameworkSpec {
	if !anyItems(spec) && !s.anyItems() {
		return spec
	}
	out := *spec
	out.TaskRoles = append([]v1.TaskRoleSpec(nil), spec.TaskRoles...)
	for i := range out.TaskRoles {
		role := &out.TaskRoles[i]
		role.TaskNumber = role.NumberWith(s.itemsOf(role.Name))
	}
	return &out
}

func anyItems(spec *v1.FrameworkSpec) bool {
	for i := range spec.TaskRoles {
		if spec.TaskRoles[i].Items != nil {
			return true
		}
	}
	return false
}

func (s *State) anyItems() bool {
	if s == nil {
		return false
	}
	for _, role := range s.roles {
		if role.items != nil {
			return true
		}
	}
	return false
}

// itemsOf returns the stored items of a role; nil if it has none.
func (s *State) itemsOf(role string) *v1.ItemsStatus {
	if s == nil {
		return nil
	}
	if r := s.role(role); r != nil {
		return r.items
	}
	return nil
}

// followItems updates the items of a role to the spec, and the number of its Tasks to the items.
func (r *round) followItems(role *roleDraft) {
	if role.spec == nil || r.in.Framework.Spec == r.given {
		return
	}
	list, begun := r.in.Observed.Items[role.name].List, r.status.State != v1.AttemptCreationPending
	switch {
	case role.spec.Items == nil && begun:
	case role.spec.Items == nil:
		role.items = nil
	case list == nil:
	case !begun, role.items == nil && len(role.tasks) == 0, role.items != nil && list.BeginsWith(role.items):
		if next := list.Status(); role.items == nil || *next != *role.items {
			role.items = next
		}
	}
	role.spec.TaskNumber = specsByName(r.given)[role.name].NumberWith(role.items)
}

// awaitsItems reports whether the Tasks of the role are to have items, and these are not known yet. It then has no Tasks, but counts as
// a role that has some.
func (d *roleDraft) awaitsItems() bool {
	return d.spec != nil && d.spec.Items != nil && d.items == nil && len(d.tasks) == 0
}

// itemsReady reports whether all roles have the items with which the attempt can begin. If not, it asks for those that are missing.
// Lists in ConfigMaps are read anew for each attempt, and again as long as another is missing: they may be edited meanwhile.
func (r *round) itemsReady() bool {
	ready := true
	var known []*roleDraft
	for _, role := range r.specRoles() {
		if role.spec.Items == nil {
			continue
		}
		view := r.in.Observed.Items[role.name]
		current := !role.inConfigMap() || r.readForAttempt(view.ReadAt)
		if current && view.List != nil {
			known = append(known, role)
			continue
		}
		ready = false
		switch {
		case !role.inConfigMap():
		case r.in.Saved == nil:
			r.out.Requeue = true // nothing is done for a Framework whose first status is not stored
		case !current:
			r.do(ReadItems{role.name})
		default:
			r.readItems(role, itemsPatience)
		}
	}
	if !ready && r.in.Saved != nil {
		for _, role := range known {
			r.readItems(role, itemsPatience)
		}
	}
	return ready
}

// readForAttempt reports whether a ConfigMap that was read at that time was read for the present attempt. After a clock was put back, the
// attempt may begin in the future: what was read just now is good enough then, or it would be read again and again until that time.
func (r *round) readForAttempt(at time.Time) bool {
	since := r.status.AttemptStatus.StartTime.Time
	if since.After(r.in.Now) {
		since = r.in.Now.Add(-itemsPatience)
	}
	return !at.Before(since) && !at.After(r.in.Now)
}

// rereadItems has the ConfigMaps of a live attempt read from time to time.
func (r *round) rereadItems() {
	if r.in.Framework.Deleting {
		return
	}
	for _, role := range r.specRoles() {
		if role.awaitsItems() || r.lacksItems(role) {
			r.readItems(role, itemsPatience)
		} else {
			r.readItems(role, itemsInterval)
		}
	}
}

// readItems has the role's ConfigMap read if it was not, or so long ago, or in the future, before a clock was put back.
func (r *round) readItems(role *roleDraft, after time.Duration) {
	if !role.inConfigMap() {
		return
	}
	view := r.in.Observed.Items[role.name]
	if due := view.ReadAt.Add(after); !view.ReadAt.IsZero() && !view.ReadAt.After(r.in.Now) && r.in.Now.Before(due) {
		r.wakeAt(due)
		return
	}
	r.do(ReadItems{role.name})
}

func (d *roleDraft) inConfigMap() bool {
	return d.spec.Items != nil && d.spec.Items.ConfigMapKeyRef != nil
}

// lacksItems reports whether no Pod of the role can be created, because no list is known that begins with the stored items.
func (r *round) lacksItems(role *roleDraft) bool {
	return role.items != nil && r.in.Observed.Items[role.name].Of(role.items) == nil
}

// itemsInTheWay returns what is wrong with items that are waited for; nil if nothing is.
func (r *round) itemsInTheWay() *waiting.Fact {
	pending := r.status.State == v1.AttemptCreationPending && r.mayMakeCompanions() && !r.in.Framework.Deleting
	if !pending && !r.live() {
		return nil
	}
	for _, role := range r.specRoles() {
		view := r.in.Observed.Items[role.name]
		fact := waiting.Fact{Words: view.Problem}
		fact.Role = role.name
		switch {
		case role.spec.Items != nil && (pending || role.awaitsItems()):
			fact.Reason = reason.ItemsNotReady
		case r.live() && r.lacksItems(role) && role.anyPending():
			fact.Reason = reason.ItemsChanged
		default:
			continue
		}
		if view.Problem == "" && view.List == nil && role.inConfigMap() { // it is being read, as after a restart of the controller
			if stored := r.status.Waiting; stored != nil && stored.Role == role.name && stored.Reason == string(fact.Reason) {
				fact = waiting.Restored(stored)
				return &fact
			}
			continue
		}
		if fact.Reason == reason.ItemsChanged || view.Problem != "" {
			return &fact
		}
	}
	return nil
}

// anyPending reports whether a Task of the role needs a Pod.
func (d *roleDraft) anyPending() bool {
	for _, t := range d.tasks {
		if t.State == v1.AttemptCreationPending && !t.DeletionPending && t.AttemptStatus.AwaitedRestart == nil {
			return true
		}
	}
	return false
}
