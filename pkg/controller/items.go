package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// roleItems is the knowledge about the items of a role. ConfigMaps with items are read on demand: watching them would take a cache of all
// ConfigMaps of the cluster.
type roleItems struct {
	facts facts
	// of is the key that view is about; nil for items in the spec, and if the spec no longer has items for the role.
	of   *v1.ItemsKeyRef
	view lifecycle.ItemsView
	// invalid is why the items in the spec are not usable; nil if they are, or are in a ConfigMap.
	invalid error
}

// itemsRead is the result of reading a ConfigMap.
type itemsRead struct {
	of      v1.ItemsKeyRef
	list    *items.List // nil if there is a problem
	problem string      // empty if there is none
}

// itemsOf returns the entry of a role, created if need be.
func (r *record) itemsOf(role string) *roleItems {
	if r.items == nil {
		r.items = map[string]*roleItems{}
	}
	if r.items[role] == nil {
		r.items[role] = &roleItems{}
	}
	return r.items[role]
}

// storedItems returns what the status has of the items of a role; nil if nothing.
func (r *record) storedItems(role string) *v1.ItemsStatus {
	if r.status.saved == nil {
		return nil
	}
	status, _ := r.status.saved.Role(role)
	return status.Items
}

// learn replaces the list. The one before is held while the attempt depends on it.
func (i *roleItems) learn(list *items.List, problem string, stored *v1.ItemsStatus) {
	v := &i.view
	switch {
	case stored == nil, list.BeginsWith(stored):
		v.Held = nil
	case v.List.BeginsWith(stored):
		v.Held = v.List
	case !v.Held.BeginsWith(stored):
		v.Held = nil
	}
	v.List, v.Problem = list, problem
}

// readSpecItems enters the items in a new spec. Lists in ConfigMaps are read when a round asks for them.
func (r *record) readSpecItems(spec *v1.FrameworkSpec) {
	seen := map[string]bool{}
	for i := range spec.TaskRoles {
		role := &spec.TaskRoles[i]
		if role.Items == nil || seen[role.Name] {
			continue
		}
		seen[role.Name] = true
		known := r.itemsOf(role.Name)
		if ref := role.Items.ConfigMapKeyRef; ref != nil {
			if known.of == nil || *known.of != *ref {
				known.learn(nil, "", r.storedItems(role.Name))
				known.of, known.view.ReadAt, known.invalid = ref, time.Time{}, nil
			}
			continue
		}
		list, err := items.FromValues(role.Items.Values)
		known.of, known.view.ReadAt, known.invalid = nil, time.Time{}, err
		known.learn(list, problemInSpec(err), r.storedItems(role.Name))
	}
	for role, known := range r.items {
		switch {
		case seen[role]:
		case r.storedItems(role) == nil:
			delete(r.items, role)
		default:
			known.learn(nil, "the spec no longer has items for the role", r.storedItems(role))
			known.of, known.view.ReadAt, known.invalid = nil, time.Time{}, nil
		}
	}
}

func problemInSpec(err error) string {
	if err == nil {
		return ""
	}
	return "items in the spec: " + err.Error()
}

// checkItems finds the first role of a Framework that cannot begin with the items in its spec. The error names the field.
func (r *record) checkItems() error {
	for i := range r.given.TaskRoles {
		role := &r.given.TaskRoles[i]
		if role.Items == nil || role.Items.ConfigMapKeyRef != nil {
			continue
		}
		known := r.itemsOf(role.Name)
		list := known.view.List
		switch {
		case known.invalid != nil:
			return fmt.Errorf("spec is invalid: taskRoles[%d].items: %w", i, known.invalid)
		case int(role.TaskNumber) > list.Number():
			return fmt.Errorf("spec is invalid: taskRoles[%d].taskNumber is %d, but there are only %d items; append some, or lower taskNumber, "+
				"which may be left out for as many Tasks as there are items", i, role.TaskNumber, list.Number())
		}
	}
	return nil
}

// followItems updates the spec that everything but the core goes by: its numbers of Tasks follow the items of the attempt, with those
// that the next round appends, or of the next attempt if none has begun.
func (r *record) followItems() {
	before := r.framework.Spec
	r.framework.Spec = lifecycle.WithItems(r.given, r.status.saved)
	if r.framework.Spec == r.given {
		return
	}
	for i := range r.framework.Spec.TaskRoles {
		role := &r.framework.Spec.TaskRoles[i]
		known, stored := r.items[role.Name], r.storedItems(role.Name)
		if known != nil && known.view.List != nil && (stored == nil || known.view.List.BeginsWith(stored)) {
			role.TaskNumber = r.given.TaskRoles[i].NumberWith(known.view.List.Status())
		}
	}
	if !sameNumbers(before, r.framework.Spec) {
		r.builders = nil
	}
}

// sameNumbers reports whether two specs have the same roles with the same numbers of Tasks.
func sameNumbers(a, b *v1.FrameworkSpec) bool {
	if a == nil || len(a.TaskRoles) != len(b.TaskRoles) {
		return false
	}
	for i := range a.TaskRoles {
		if a.TaskRoles[i].Name != b.TaskRoles[i].Name || a.TaskRoles[i].TaskNumber != b.TaskRoles[i].TaskNumber {
			return false
		}
	}
	return true
}

// observeItems returns the views of the items of all roles that have some; nil if none has.
func (r *record) observeItems() map[string]lifecycle.ItemsView {
	if len(r.items) == 0 {
		return nil
	}
	views := make(map[string]lifecycle.ItemsView, len(r.items))
	for role, known := range r.items {
		views[role] = known.view
	}
	return views
}

// errItemUnknown: the list with which the attempt began is not known. No round asks for the Pod then.
var errItemUnknown = errors.New("the item of the Task is not known")

// itemFor returns the item of a Task; nil for a role without items.
func (r *record) itemFor(ref lifecycle.TaskRef) (*items.Item, error) {
	stored := r.storedItems(ref.Role)
	if stored == nil {
		return nil, nil
	}
	list := r.itemsOf(ref.Role).view.Of(stored)
	if list == nil || ref.Index >= stored.Number {
		return nil, errItemUnknown
	}
	item := list.At(ref.Index)
	return &item, nil
}

// readItems reads the ConfigMap with the items of a role. That it is missing or not usable is a result, and no failure of the action.
func (p *performer) readItems(r *record, role string) request {
	of := r.itemsOf(role).of
	if of == nil {
		return func(context.Context) result { return result{err: errHeldBack} }
	}
	client := p.clients.Core.CoreV1().ConfigMaps(r.key.Namespace)
	return func(ctx context.Context) result {
		found, err := client.Get(ctx, of.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return result{items: &itemsRead{of: *of, problem: fmt.Sprintf("ConfigMap %s does not exist; create it", of.Name)}}
		case err != nil:
			return result{err: err}
		}
		text, ok := found.Data[of.Key]
		if !ok {
			return result{items: &itemsRead{of: *of, problem: fmt.Sprintf("ConfigMap %s has no key %s in its data; add it", of.Name, of.Key)}}
		}
		list, err := items.FromLines(text)
		if err != nil {
			return result{items: &itemsRead{of: *of, problem: fmt.Sprintf("key %s of ConfigMap %s: %v", of.Key, of.Name, err)}}
		}
		return result{items: &itemsRead{of: *of, list: list}}
	}
}

// applyItems records what was read. If it is news, all Tasks are looked at.
func (rd *reader) applyItems(r *record, n result, now time.Time) {
	a, ok := n.action.(lifecycle.ReadItems)
	if !ok || n.items == nil {
		return
	}
	known := r.itemsOf(a.Role)
	if known.of == nil || *known.of != n.items.of {
		return // the spec has changed meanwhile
	}
	known.view.ReadAt = now
	if known.view.Problem == n.items.problem && sameItems(known.view.List, n.items.list) && r.status.saved.Framework().State != v1.AttemptCreationPending {
		return
	}
	rd.admitItems(r, a.Role, n.items)
	r.schedule.lookAtAll()
}

// admitItems replaces the list of a role and accounts for its memory. A list that would exceed a limit is not held, unless the attempt
// depends on it: it began with that list, and no other process has counted it here.
func (rd *reader) admitItems(r *record, role string, read *itemsRead) {
	known, stored := r.itemsOf(role), r.storedItems(role)
	before := known.view
	known.learn(read.list, read.problem, stored)
	r.followItems()
	own, pods := r.weight()
	full := rd.memory.Admit(r.key, own, pods)
	switch {
	case full == nil:
		return
	case read.list != nil && (stored == nil || before.Of(stored) != nil || !read.list.BeginsWith(stored)):
		known.view.List, known.view.Held = before.List, before.Held
		known.learn(nil, fmt.Sprintf("key %s of ConfigMap %s has too many items: %v", read.of.Key, read.of.Name, full), stored)
		r.followItems()
	}
	rd.account(r)
}

func sameItems(a, b *items.List) bool {
	return a.Number() == b.Number() && (a == nil || a.FirstChange(b) == a.Number())
}

// warnOfItems warns of items that the attempt does not follow, once for each attempt.
func (rep *reporter) warnOfItems(r *record) {
	if len(r.items) == 0 || !live(r.status.saved.Framework().State) {
		return
	}
	for i := range r.given.TaskRoles {
		role := &r.given.TaskRoles[i]
		known, stored := r.items[role.Name], r.storedItems(role.Name)
		if known == nil || stored == nil {
			continue
		}
		if why := editedSince(&known.view, stored); why != "" {
			rep.warnOn(r, warning(reason.ItemsEdited, reason.Facts{Role: role.Name}, "role "+role.Name+": "+why), "role "+role.Name, occasionOf(r))
		}
		if role.TaskNumber > v1.AllItems && role.TaskNumber > stored.Number {
			rep.warnOn(r, warning(reason.ItemsTooFew, reason.Facts{Role: role.Name}, fmt.Sprintf(
				"role %s: taskNumber is %d, but there are only %d items, so it has %d Tasks; append items, or lower taskNumber",
				role.Name, role.TaskNumber, stored.Number, stored.Number)), "role "+role.Name, occasionOf(r))
		}
	}
}

// editedSince states which change of the items the attempt does not follow, and the consequence; empty if it follows them.
func editedSince(v *lifecycle.ItemsView, stored *v1.ItemsStatus) string {
	switch {
	case v.List.BeginsWith(stored):
		return ""
	case v.List == nil: // another attempt would not begin, so it is not suggested
		return v.Problem + "; this attempt keeps its items"
	}
	return firstChange(v, stored) + "; this attempt keeps its items; to begin another one with the new items, suspend and resume the Framework"
}

func firstChange(v *lifecycle.ItemsView, stored *v1.ItemsStatus) string {
	if v.Held == nil {
		return fmt.Sprintf("an item among the first %d was changed or removed", stored.Number)
	}
	first := v.Held.FirstChange(v.List)
	if first >= v.List.Number() {
		return fmt.Sprintf("item %d and those after it were removed", first)
	}
	return fmt.Sprintf("item %d was changed", first)
}
