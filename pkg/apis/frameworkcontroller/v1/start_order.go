package v1

import "slices"

// HeldBack reports whether a role's Pods may not be created yet because a role that must succeed first has not. Nil
// gates hold back every role with a StartAfter.
func (g *RoleGates) HeldBack(role *TaskRoleSpec) bool {
	return len(role.StartAfter) > 0 && (g == nil || !slices.Contains(g.Created, role.Name))
}

// Closed reports whether a role may not start yet. Nil gates are closed.
func (g *RoleGates) Closed(role *TaskRoleSpec) bool {
	return len(role.StartAfter) > 0 && (g == nil || !slices.Contains(g.Open, role.Name))
}

// Needs is the milestone to reach, with the default filled in.
func (s StartAfterSpec) Needs() StartWhen {
	if s.When == "" {
		return StartRunning
	}
	return s.When
}
