package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
)

// startOrders says what the roles start after that have Pods and may not start yet. The condition Waiting is about those without
// Pods.
func startOrders(k *known) (all []Statement) {
	for i := range k.Framework.Spec.TaskRoles {
		if role := &k.Framework.Spec.TaskRoles[i]; k.status.Gates != nil && !k.status.Gates.HeldBack(role) {
			all = append(all, startOrder(k, role)...)
		}
	}
	return all
}

// startOrder says why a role may not start yet.
func startOrder(k *known, role *v1.TaskRoleSpec) []Statement {
	opened := k.status.Gates
	live := k.status.State == v1.AttemptPreparing || k.status.State == v1.AttemptRunning
	switch {
	case role == nil || !live || !opened.Closed(role):
		return nil
	case opened == nil:
		return []Statement{{Topic: StartOrderUnknown, Subject: roleSubject(role.Name), next: k.steps(names{}, controllerIs)}}
	case opened.HeldBack(role):
		return []Statement{{Topic: RoleHasNoPods, Subject: roleSubject(role.Name), Args: Args{Awaits: awaitedForPods(k, role)}}}
	}
	var awaits []Await
	for _, s := range role.StartAfter {
		if s.Framework == "" { // otherwise it has completed before the role got its Pods
			awaits = append(awaits, howFar(k, s))
		}
	}
	return []Statement{{Topic: RoleHasNotStarted, Subject: roleSubject(role.Name), Args: Args{Awaits: awaits}}}
}

// created is said where a role only needs its Pods.
const created = "Created"

// awaitedForPods is what the Pods of a role come after: the success of others, or their Pods, or the end of other Frameworks.
func awaitedForPods(k *known, role *v1.TaskRoleSpec) (awaits []Await) {
	for _, s := range role.StartAfter {
		other := k.roleSpec(s.Role)
		switch {
		case s.Framework != "":
			if !s.MetBy(k.status.StartedAfter) {
				awaits = append(awaits, Await{Framework: s.Framework, When: string(s.Needs())})
			}
		case s.Needs() == v1.StartSucceeded:
			awaits = append(awaits, howFar(k, s))
		case other != nil && k.status.Gates.HeldBack(other):
			awaits = append(awaits, Await{Role: s.Role, When: created, Tasks: int(other.TaskNumber)})
		}
	}
	return awaits
}

// howFar has how many Tasks of the other role have come as far as it takes.
func howFar(k *known, s v1.StartAfterSpec) Await {
	a := Await{Role: s.Role, When: string(s.Needs())}
	if other, status := k.roleSpec(s.Role), k.roleStatus(s.Role); other != nil && status != nil {
		a.Tasks = gates.Awaited(other, s.Needs())
		a.Reached = min(lifecycle.Reached(status, s.Needs()), a.Tasks)
	}
	return a
}
