package gates

import (
	"slices"
	"strconv"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Role is a role that the spec has.
type Role struct {
	// Spec of the role; not nil.
	Spec *v1.TaskRoleSpec
	// Wanted is how many Tasks the spec asks for.
	Wanted int
	// Progress of these Tasks.
	Progress
}

// Reached reports whether every Task that the spec asks for has reached that. Only success is awaited of all: the Tasks of a role with
// parallelism do not run at the same time.
func (r Role) Reached(when v1.StartWhen) bool {
	return r.Progress.Reached(when) >= min(r.Wanted, Awaited(r.Spec, when))
}

// Awaited returns how many Tasks of a role others wait for at most; its number of Tasks, or less if not all may run at once.
func Awaited(spec *v1.TaskRoleSpec, when v1.StartWhen) int {
	if when == v1.StartSucceeded {
		return max(int(spec.TaskNumber), 0)
	}
	return int(spec.AtOnce())
}

func (r Role) startsAfter() bool { return len(r.Spec.StartAfter) > 0 }

// Progress counts the Tasks of a role that have come so far that others may start after them.
type Progress struct {
	// Addressed have a Pod with an IP.
	Addressed int
	// Running have a Pod that runs, and Ready are the Running Tasks whose Pod has been ready.
	Running, Ready int
	// Completed for good, and Succeeded are the Completed Tasks that succeeded.
	Completed, Succeeded int
}

// Reached returns how many Tasks have reached that. Completed ones are not waited for, unless they are to succeed.
func (p Progress) Reached(when v1.StartWhen) int {
	switch when {
	case v1.StartAddressed:
		return p.Addressed
	case v1.StartReady:
		return p.Ready + p.Completed
	case v1.StartSucceeded:
		return p.Succeeded
	}
	return p.Running + p.Completed
}

// Open returns the gates that follow from the stored gates old, and the names of the roles whose Pods may be created from now
// on. Roles are all roles of the spec, each once, and completed are the Frameworks that have completed as they have to
// (Completed). next is nil if no role starts after others, and old if nothing changed. instanceUID is the instance UID of the
// attempt, empty while the attempt has none.
func Open(roles []Role, completed []v1.StartedAfterStatus, old *v1.RoleGates, instanceUID string) (next *v1.RoleGates, created []string) {
	o := order{byName: make(map[string]Role, len(roles)), completed: completed}
	for _, role := range roles {
		o.byName[role.Spec.Name] = role
		if role.startsAfter() {
			o.ordered = append(o.ordered, role)
		}
	}
	if o.ordered == nil {
		return nil, nil
	}
	stored := old
	if stored == nil {
		stored = &v1.RoleGates{}
	}
	next = &v1.RoleGates{}
	next.Created, created = o.openCreation(stored)
	next.Open = o.openStart(stored, next)
	changed := !slices.Equal(next.Created, stored.Created) || !slices.Equal(next.Open, stored.Open)
	next.Revision = revision(stored, instanceUID, changed)
	if old != nil && !changed && next.Revision == old.Revision {
		return old, created
	}
	return next, created
}

// order is the start order of the roles of a spec.
type order struct {
	byName  map[string]Role
	ordered []Role // those that start after others
	// completed are the Frameworks that have completed as they have to.
	completed []v1.StartedAfterStatus
}

// openCreation returns all roles whose Pods may be created, and the new ones among them. A role may depend on one that has
// just become one of them, so it repeats until there are no more. Roles in a circle never become one.
func (o order) openCreation(old *v1.RoleGates) (names, created []string) {
	may := map[string]bool{}
	for _, role := range o.ordered {
		if slices.Contains(old.Created, role.Spec.Name) {
			may[role.Spec.Name] = true
		}
	}
	for more := true; more; {
		more = false
		for _, role := range o.ordered {
			if name := role.Spec.Name; !may[name] && o.mayCreate(role, may) {
				may[name], more = true, true
				created = append(created, name)
			}
		}
	}
	return o.names(func(role Role) bool { return may[role.Spec.Name] }), created
}

// mayCreate reports whether Pods of a role may be created, given the roles whose Pods may be. A role that the spec does not
// have is not waited for.
func (o order) mayCreate(role Role, may map[string]bool) bool {
	for _, s := range role.Spec.StartAfter {
		other, exists := o.byName[s.Role]
		switch {
		case s.Framework != "":
			if !s.MetBy(o.completed) {
				return false
			}
		case !exists:
		case s.Needs() == v1.StartSucceeded && !other.Reached(s.Needs()):
			return false
		case s.Needs() != v1.StartSucceeded && other.startsAfter() && !may[s.Role]:
			return false
		}
	}
	return true
}

// openStart returns the roles that may start. Success, and other Frameworks, were there when the Pods were created.
func (o order) openStart(old, next *v1.RoleGates) []string {
	return o.names(func(role Role) bool {
		if slices.Contains(old.Open, role.Spec.Name) {
			return true
		}
		return slices.Contains(next.Created, role.Spec.Name) && !slices.ContainsFunc(role.Spec.StartAfter, func(s v1.StartAfterSpec) bool {
			other, exists := o.byName[s.Role]
			return !s.ComesLater() && exists && !other.Reached(s.Needs())
		})
	})
}

// names returns the names of some of the ordered roles, sorted; nil if there are none.
func (o order) names(which func(Role) bool) (names []string) {
	for _, role := range o.ordered {
		if which(role) {
			names = append(names, role.Spec.Name)
		}
	}
	slices.Sort(names)
	return names
}

// revision differs from every earlier one whenever the gates change, also from those of other attempts.
func revision(old *v1.RoleGates, instanceUID string, changed bool) string {
	if instanceUID == "" {
		return ""
	}
	prefix, number := instanceUID+"/", 0
	if text, ok := strings.CutPrefix(old.Revision, prefix); ok {
		number, _ = strconv.Atoi(text)
	}
	if changed || number == 0 {
		number++
	}
	return prefix + strconv.Itoa(number)
}
