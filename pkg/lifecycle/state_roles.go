package lifecycle

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// EachRole calls yield for each role, in the order of the status, until it returns false. The Tasks are passed separately and
// must not be changed. A Task with the same pointer in two states has not changed between them.
func (s *State) EachRole(yield func(role v1.TaskRoleStatus, tasks []*v1.TaskStatus) bool) {
	for _, r := range s.roles {
		if !yield(r.own(), r.tasks) {
			return
		}
	}
}

// Completed returns how many Tasks of a role have completed for good, without Tasks that are being removed.
func (s *State) Completed(role string) int {
	if r := s.role(role); r != nil {
		return r.tally.completed()
	}
	return 0
}
