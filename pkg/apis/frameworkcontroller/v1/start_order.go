package v1

import "slices"

// HeldBack reports whether Pods of a role are not to be created yet, as what it starts after has not succeeded. Nil gates
// hold back every role that starts after others.
func (g *RoleGates) HeldBack(role *TaskRoleSpec) bool {
	return len(role.StartAfter) > 0 && (g == nil || !slices.Contains(g.Created, role.Name))
}

// Closed reports whether a role may not start yet. Nil gates are closed.
func (g *RoleGates) Closed(role *TaskRoleSpec) bool {
	return len(role.StartAfter) > 0 && (g == nil || !slices.Contains(g.Open, role.Name))
}

// Needs is what has to be reached, with what is left out filled in.
func (s StartAfterSpec) Needs() StartWhen {
	if s.When == "" {
		return StartRunning
	}
	return s.When
}
