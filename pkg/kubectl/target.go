package kubectl

import (
	"fmt"
	"strconv"
	"strings"
)

// target is a role or one of its Tasks, as named by an argument.
type target struct {
	role string
	// index is the index of the Task; -1 for the whole role.
	index int32
}

// parseTarget parses ROLE, ROLE/INDEX or ROLE-INDEX. If there is no such target, the error lists the existing ones.
func (s *stored) parseTarget(arg string) (target, error) {
	role, number, isTask := strings.Cut(arg, "/")
	if !isTask {
		role, number, isTask = strings.Cut(arg, "-")
	}
	tasks, known := s.tasksOf(role)
	if !known {
		return target{}, fmt.Errorf("framework %s has no role %q: %s", s.Name, role, theRoles(s.roleNames()))
	}
	if !isTask {
		return target{role, -1}, nil
	}
	index, err := strconv.ParseInt(number, 10, 32)
	switch {
	case err != nil || index < 0:
		return target{}, fmt.Errorf("%q is not the index of a Task: use %s/0, for example", number, role)
	case tasks == 0:
		return target{}, fmt.Errorf("role %s of Framework %s has no Tasks yet", role, s.Name)
	case int(index) >= tasks:
		return target{}, fmt.Errorf("role %s of Framework %s has no Task %d: its indices are 0 to %d", role, s.Name, index, tasks-1)
	}
	return target{role, int32(index)}, nil
}

// tasksOf returns the number of Tasks of a role; known is false if there is no such role.
func (s *stored) tasksOf(role string) (tasks int, known bool) {
	if s.Status != nil {
		for _, r := range s.Status.AttemptStatus.TaskRoleStatuses {
			if r.Name == role {
				return len(r.TaskStatuses), true
			}
		}
	}
	return 0, roleIndex(s.Spec.TaskRoles, role) >= 0
}

// roleNames lists the roles of the status, and the roles of the spec that are not in it yet.
func (s *stored) roleNames() (names []string) {
	seen := map[string]bool{}
	note := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	if s.Status != nil {
		for _, r := range s.Status.AttemptStatus.TaskRoleStatuses {
			note(r.Name)
		}
	}
	for i := range s.Spec.TaskRoles {
		note(s.Spec.TaskRoles[i].Name)
	}
	return names
}
