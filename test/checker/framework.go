package checker

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// framework is a Framework with its Tasks by place.
type framework struct {
	*v1.Framework
	tasks map[place]*v1.TaskStatus
}

// place is where a Task is: it outlasts its instances and attempts.
type place struct {
	role  string
	index int32
}

func (p place) String() string { return fmt.Sprintf("%s-%d", p.role, p.index) }

func newFramework(f *v1.Framework) *framework {
	counted := *f
	counted.Spec = *f.Spec.WithItems(f.Status)
	out := &framework{Framework: &counted, tasks: map[place]*v1.TaskStatus{}}
	if f.Status == nil {
		return out
	}
	for i := range f.Status.AttemptStatus.TaskRoleStatuses {
		role := &f.Status.AttemptStatus.TaskRoleStatuses[i]
		for j := range role.TaskStatuses {
			task := &role.TaskStatuses[j]
			out.tasks[place{role.Name, task.Index}] = task
		}
	}
	return out
}

func (f *framework) attempt() *v1.FrameworkAttemptStatus { return &f.Status.AttemptStatus }

// role returns the role with that name in the spec, or nil.
func (f *framework) role(name string) *v1.TaskRoleSpec {
	for i := range f.Spec.TaskRoles {
		if f.Spec.TaskRoles[i].Name == name {
			return &f.Spec.TaskRoles[i]
		}
	}
	return nil
}

// roleRetried is how often a role has started again by its own policy.
func (f *framework) roleRetried(name string) int32 {
	for _, role := range f.attempt().TaskRoleStatuses {
		if role.Name == name {
			return role.RetriedCount
		}
	}
	return 0
}

// wanted reports whether the spec asks for a Task there.
func (f *framework) wanted(p place) bool {
	role := f.role(p.role)
	return role != nil && p.index < role.TaskNumber
}

// completing reports whether the attempt is decided.
func (f *framework) completing() bool { return f.attempt().CompletionStatus != nil }

func ended(s v1.State) bool { return s == v1.AttemptCompleted || s == v1.Completed }

// rank puts the states of an attempt into their order.
func rank(s v1.State) int {
	for i, state := range []v1.State{
		v1.AttemptCreationPending, v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning,
		v1.AttemptDeletionPending, v1.AttemptDeletionRequested, v1.AttemptDeleting, v1.AttemptCompleted, v1.Completed,
	} {
		if s == state {
			return i
		}
	}
	return -1
}

// uidOf is the empty UID for nil.
func uidOf(uid *types.UID) types.UID {
	if uid == nil {
		return ""
	}
	return *uid
}
