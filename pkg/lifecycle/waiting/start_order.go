package waiting

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Role is a role that the spec has.
type Role struct {
	// Spec of the role; not nil.
	Spec *v1.TaskRoleSpec
	// Closed: the role may not start yet. HeldBack: its Pods are not to be created yet, either.
	Closed, HeldBack bool
	// Wanted is how many Tasks the spec asks for, and Succeeded and Failed are how many have.
	Wanted, Succeeded, Failed int
}

// succeeded reports whether all Tasks of the role have.
func (r Role) succeeded() bool { return r.Succeeded >= r.Wanted }

// Order says why a role has no Pods by its startAfter.
type Order struct {
	// Circle are roles that start after each other, the last one after the first; nil if they do not.
	Circle []string
	// After is a role that never succeeds: Tasks of it have Failed for good, or its Tasks start again after each success.
	After  string
	Failed bool
	// Awaited are the roles that keep it, in the ordinary course of things.
	Awaited []Awaited
}

// Awaited is a role that another one starts after: once it has succeeded, or once its own Pods are created.
type Awaited struct {
	Role      string
	Succeeded bool
}

func (l *look) role(name string) (Role, bool) {
	i := slices.IndexFunc(l.Roles, func(r Role) bool { return r.Spec.Name == name })
	if i < 0 {
		return Role{}, false
	}
	return l.Roles[i], true
}

// startBlocked says what keeps a role from ever starting, unless somebody changes something; blocked is false if nothing does.
func (l *look) startBlocked() (f Fact, blocked bool) {
	for _, role := range l.Roles {
		if !role.Closed {
			continue
		}
		f = Fact{Reason: reason.StartBlocked}
		f.Role = role.Spec.Name
		if f.Order.Circle = gates.Circle(l.Spec, role.Spec.Name); f.Order.Circle != nil {
			return f, true
		}
		if !role.HeldBack {
			continue
		}
		for _, s := range role.Spec.StartAfter {
			other, exists := l.role(s.Role)
			if !exists || s.Needs() != v1.StartSucceeded || other.succeeded() {
				continue
			}
			if failed := other.Failed > 0; failed || other.Spec.Task.RetryPolicy.MaxRetryCount == v1.RetryAlways {
				f.Order = Order{After: s.Role, Failed: failed}
				return f, true
			}
		}
	}
	return Fact{}, false
}

// startsLater says whose Pods are not created yet in the ordinary course of things; the zero Fact if there are none.
func (l *look) startsLater() Fact {
	for _, role := range l.Roles {
		if !role.HeldBack || role.Wanted == 0 {
			continue
		}
		f := Fact{Reason: reason.StartsLater}
		f.Role = role.Spec.Name
		for _, s := range role.Spec.StartAfter {
			other, exists := l.role(s.Role)
			switch {
			case !exists:
			case s.Needs() == v1.StartSucceeded && !other.succeeded():
				f.Order.Awaited = append(f.Order.Awaited, Awaited{s.Role, true})
			case s.Needs() != v1.StartSucceeded && other.HeldBack:
				f.Order.Awaited = append(f.Order.Awaited, Awaited{s.Role, false})
			}
		}
		return f
	}
	return Fact{}
}
