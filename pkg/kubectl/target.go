package kubectl

import (
	"fmt"
	"strconv"
	"strings"
)

// target is what an argument names after the Framework: a role, or one Task of it.
type target struct {
	role string
	// index is that of the Task; -1 if the whole role is meant.
	index int32
}

// parseTarget reads ROLE, ROLE/INDEX or ROLE-INDEX, and says of what is not there what there is.
func (s *stored) parseTarget(arg string) (target, error) {
	role, number, isTask := strings.Cut(arg, "/")
	if !isTask {
		role, number, isTask = strings.Cut(arg, "-")
	}
	tasks, known := s.tasksOf(role)
	if !known {
		return target{}, fmt.Errorf("framework %s has no role %q: its roles are %s", s.Name, role, s.roleNames())
	}
	if !isTask {
		return target{role, -1}, nil
	}
	index, err := strconv.ParseInt(number, 10, 32)
	switch {
	case err != nil || index < 0:
		return target{}, fmt.Errorf("%q is no index of a Task: write %s/0, for example", number, role)
	case tasks == 0:
		return target{}, fmt.Errorf("role %s of Framework %s has no Tasks yet", role, s.Name)
	case int(index) >= tasks:
		return target{}, fmt.Errorf("role %s of Framework %s has no Task %d: its indices are 0 to %d", role, s.Name, index, tasks-1)
	}
	return target{role, int32(index)}, nil
}

// tasksOf is how many Tasks of a role there are; known is false if there is no such role.
func (s *stored) tasksOf(role string) (tasks int, known bool) {
	if s.Status != nil {
		for _, r := range s.Status.AttemptStatus.TaskRoleStatuses {
			if r.Name == role {
				return len(r.TaskStatuses), true
			}
		}
	}
	for i := range s.Spec.TaskRoles {
		if s.Spec.TaskRoles[i].Name == role {
			return 0, true
		}
	}
	return 0, false
}

// roleNames lists the roles of the status, and those of the spec that are not there yet.
func (s *stored) roleNames() string {
	var names []string
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
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
