package lifecycle

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// State is a Framework's status in the form that Step works on: the same data, with counts added. It is immutable, and
// successive states share the Tasks that did not change, so a step on one Task of ten thousand copies one Task and a slice of
// pointers.
type State struct {
	// status without its roles
	status v1.FrameworkStatus
	roles  []*role
}

// role is one role of a State.
type role struct {
	name        string
	instanceUID string
	timeout     *int64
	retried     int32           // retries by the retryPolicy of the role
	items       *v1.ItemsStatus // nil without items, and until they are known
	tasks       []*v1.TaskStatus
	tally       tally
	// firstNew is the position of the first Task that waits for its first turn; the number of Tasks if none does.
	firstNew int
}

// Status returns the state in the form in which it is stored. Its pointers lead into the state, so it must not be changed.
func (s *State) Status() *v1.FrameworkStatus {
	out := s.status
	out.AttemptStatus.TaskRoleStatuses = make([]v1.TaskRoleStatus, len(s.roles))
	for i, role := range s.roles {
		out.AttemptStatus.TaskRoleStatuses[i] = role.status()
	}
	return &out
}

func (r *role) status() v1.TaskRoleStatus {
	tasks := make([]v1.TaskStatus, len(r.tasks))
	for i, task := range r.tasks {
		tasks[i] = *task
	}
	out := r.own()
	out.TaskStatuses = tasks
	return out
}

// own is the status of the role without its Tasks.
func (r *role) own() v1.TaskRoleStatus {
	return v1.TaskRoleStatus{Name: r.name, InstanceUID: r.instanceUID, PodGracefulDeletionTimeoutSec: r.timeout, RetriedCount: r.retried, Items: r.items}
}

// Framework returns the Framework's own part of the status, without roles. It must not be changed.
func (s *State) Framework() *v1.FrameworkStatus { return &s.status }

// Roles returns the names of the roles, in the order of the status.
func (s *State) Roles() []string {
	names := make([]string, len(s.roles))
	for i, role := range s.roles {
		names[i] = role.name
	}
	return names
}

// Role returns the role of that name, without its Tasks; ok is false if there is none.
func (s *State) Role(name string) (status v1.TaskRoleStatus, ok bool) {
	role := s.role(name)
	if role == nil {
		return v1.TaskRoleStatus{}, false
	}
	return role.own(), true
}

// Task returns the Task's status; nil if there is none. It must not be changed.
func (s *State) Task(ref TaskRef) *v1.TaskStatus {
	role := s.role(ref.Role)
	if role == nil || ref.Index < 0 || int(ref.Index) >= len(role.tasks) {
		return nil
	}
	return role.tasks[ref.Index]
}

// Tasks calls yield for each Task, in the order of the status, until it returns false.
func (s *State) Tasks(yield func(TaskRef, *v1.TaskStatus) bool) {
	for _, role := range s.roles {
		for i, task := range role.tasks {
			if !yield(TaskRef{role.name, int32(i)}, task) {
				return
			}
		}
	}
}

func (s *State) role(name string) *role {
	i := slices.IndexFunc(s.roles, func(r *role) bool { return r.name == name })
	if i < 0 {
		return nil
	}
	return s.roles[i]
}

// created reports whether the attempt's object is acknowledged, and the attempt not decided yet.
func created(s v1.State) bool {
	return s == v1.AttemptCreationRequested || s == v1.AttemptPreparing || s == v1.AttemptRunning
}

// completing reports whether the attempt is decided, and its object not gone yet.
func completing(s v1.State) bool {
	return s == v1.AttemptDeletionPending || s == v1.AttemptDeletionRequested || s == v1.AttemptDeleting
}

// ended reports whether the attempt's object is gone for good.
func ended(s v1.State) bool { return s == v1.AttemptCompleted || s == v1.Completed }
