package v1

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// A milestone that another role, or another Framework, must reach before this
// role starts.
//
// +kubebuilder:validation:XValidation:rule="has(self.role) != has(self.framework)",message="must have exactly one of role and framework"
// +kubebuilder:validation:XValidation:rule="!has(self.role) || self.when != 'Completed'",message="of a role, when must be Addressed, Running, Ready or Succeeded",fieldPath=".when"
// +kubebuilder:validation:XValidation:rule="!has(self.framework) || self.when in ['Succeeded', 'Completed']",message="of a Framework, when must be Succeeded or Completed",fieldPath=".when"
type StartAfterSpec struct {
	// Name of another role of this Framework.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]{1,63}$`
	// +optional
	Role string `json:"role,omitempty"`

	// Name of another Framework of the namespace, instead of a role. It need not
	// exist yet. Once it has been met, neither its deletion nor a new Framework of
	// that name changes that.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]{1,63}$`
	// +optional
	Framework string `json:"framework,omitempty"`

	// State that each Task of the other role must have reached in this attempt:
	// an address, a running Pod, a ready Pod, or success. Another Framework must
	// have completed, with success or whatever its outcome.
	// +kubebuilder:default=Running
	// +optional
	When StartWhen `json:"when,omitempty"`
}

// StartWhen is a milestone of a Task or of a Framework. The empty string means
// Running.
//
// +kubebuilder:validation:Enum=Addressed;Running;Ready;Succeeded;Completed
type StartWhen string

const (
	// StartAddressed: the Task has an address, as for the barrier.
	StartAddressed StartWhen = "Addressed"
	// StartRunning: its Pod runs, or the Task has completed.
	StartRunning StartWhen = "Running"
	// StartReady: its Pod runs and has been ready, or the Task has completed.
	StartReady StartWhen = "Ready"
	// StartSucceeded: the Task, or the Framework, has completed with success. Pods
	// of the role that waits for it are not created before that.
	StartSucceeded StartWhen = "Succeeded"
	// StartCompleted: the Framework has completed, whatever its outcome. It is for
	// a Framework only.
	StartCompleted StartWhen = "Completed"
)

// RoleGates are the gates of the roles that start after others (TaskRoleSpec.StartAfter). A gate, once open, stays open
// as long as the attempt and the role last.
type RoleGates struct {
	// The attempt's instanceUID and a number that grows with each change of the
	// gates below; absent until the attempt has an instanceUID. A barrier selects
	// on it.
	// +optional
	Revision string `json:"revision,omitempty"`
	// Roles with a startAfter whose Pods may be created, sorted. A role without
	// Succeeded in its startAfter is listed from the beginning.
	// +listType=atomic
	// +optional
	Created []string `json:"created,omitempty"`
	// Roles whose startAfter conditions are met, so that they may start, sorted.
	// +listType=atomic
	// +optional
	Open []string `json:"open,omitempty"`
}

// StartedAfterStatus is another Framework that has completed, so that a role
// may start after it.
type StartedAfterStatus struct {
	// Name of the Framework, in the same namespace.
	// +optional
	Framework string `json:"framework"`
	// UID of the Framework that has completed; one of that name may have followed
	// it.
	// +optional
	UID types.UID `json:"uid"`
	// How it ended: Succeeded or Failed.
	// +optional
	Outcome CompletionTypeName `json:"outcome"`
}

// HeldBack reports whether a role's Pods may not be created yet because a role that must succeed first has not, or a Framework
// that must complete first. Nil gates hold back every role with a StartAfter.
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

// ComesLater reports whether the Pods of the role are created only once that is met, rather than hold their nodes while they wait.
func (s StartAfterSpec) ComesLater() bool {
	return s.Framework != "" || s.Needs() == StartSucceeded
}

// MetBy reports whether Framework is among the completed ones, with the outcome that it needs. It is false for a role.
func (s StartAfterSpec) MetBy(completed []StartedAfterStatus) bool {
	return slices.ContainsFunc(completed, func(c StartedAfterStatus) bool {
		return s.Framework != "" && c.Framework == s.Framework && (s.Needs() == StartCompleted || c.Outcome == CompletionSucceeded)
	})
}
