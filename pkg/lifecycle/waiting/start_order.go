package waiting

import (
	"slices"
	"time"

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

// Order is why a role has no Pods by its startAfter.
type Order struct {
	// Circle are roles that start after each other, the last one after the first; nil if they do not.
	Circle []string
	// Frameworks: the roles in the circle belong to different Frameworks, whose names Circle has instead.
	Frameworks bool
	// After is a role that never succeeds: Tasks of it have Failed for good, or its Tasks start again after each success.
	After  string
	Failed bool
	// Framework is another Framework that does not complete as it has to, and Why not; empty if a role is in the way.
	Framework string
	Why       Obstacle
	// Awaited are the roles that keep it, in the ordinary course of things.
	Awaited []Awaited
}

// Obstacle is why another Framework does not complete as it has to.
type Obstacle int

// The obstacles.
const (
	// NoObstacle: it may still complete.
	NoObstacle Obstacle = iota
	// OtherMissing: there is no Framework of that name.
	OtherMissing
	// OtherFailed: it has completed with failure, and success is needed.
	OtherFailed
	// OtherElsewhere: another controller runs it.
	OtherElsewhere
)

// othersPatience is how long another Framework may be missing: several manifests are applied one after the other.
const othersPatience = 10 * time.Second

// Awaited is a role that another one starts after: once it has succeeded, or once its own Pods are created. Or it is a Framework,
// which has to complete.
type Awaited struct {
	Role      string
	Framework string
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
			if order, blocked := l.otherBlocks(s); blocked {
				f.Order = order
				return f, true
			}
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

// otherBlocks says why another Framework, which a role starts after, does not complete as it has to unless somebody does something.
// blocked is false if it may, and for a role.
func (l *look) otherBlocks(s v1.StartAfterSpec) (o Order, blocked bool) {
	if s.Framework == "" || s.MetBy(l.Completed) {
		return Order{}, false
	}
	other, o := l.Others[s.Framework], Order{Framework: s.Framework}
	switch {
	case len(l.OthersCircle) > 1 && l.OthersCircle[1] == s.Framework, len(l.OthersCircle) == 1 && l.OthersCircle[0] == s.Framework:
		return Order{Circle: l.OthersCircle, Frameworks: true}, true
	case other.UID == "":
		o.Why = OtherMissing
		due := l.AttemptStart.Add(othersPatience)
		if l.Now.Before(due) {
			l.by(due)
			return Order{}, false
		}
	case other.Elsewhere:
		o.Why = OtherElsewhere
	case other.Outcome == v1.CompletionFailed: // and it is not met, so success is needed
		o.Why = OtherFailed
	}
	return o, o.Why != NoObstacle
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
			case s.Framework != "":
				if !s.MetBy(l.Completed) {
					f.Order.Awaited = append(f.Order.Awaited, Awaited{Framework: s.Framework, Succeeded: s.Needs() == v1.StartSucceeded})
				}
			case !exists:
			case s.Needs() == v1.StartSucceeded && !other.succeeded():
				f.Order.Awaited = append(f.Order.Awaited, Awaited{Role: s.Role, Succeeded: true})
			case s.Needs() != v1.StartSucceeded && other.HeldBack:
				f.Order.Awaited = append(f.Order.Awaited, Awaited{Role: s.Role})
			}
		}
		return f
	}
	return Fact{}
}
