package v1

import "encoding/json"

// Values for the Tasks of a role: either in the spec or in a ConfigMap.
// ---
// Rules cannot see values, as their type is open.
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=1
type ItemsSpec struct {
	// One value for each Task, at most 20000, and 1 MiB in total: a string, a
	// number, a boolean, or an object whose values are any of these. Lists and
	// objects within an object are passed on as JSON.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20000
	// +optional
	Values []ItemValue `json:"values,omitempty"`

	// Key of a ConfigMap in the namespace of the Framework, with a value in JSON
	// on each line. It is read when an attempt begins, and once a minute while it
	// runs. The attempt waits until it can be read.
	// +optional
	ConfigMapKeyRef *ItemsKeyRef `json:"configMapKeyRef,omitempty"`
}

// ItemValue is one value in JSON.
//
// +kubebuilder:validation:Type=""
// +kubebuilder:pruning:PreserveUnknownFields
type ItemValue struct {
	// JSON of the value, as it was written; empty counts as null.
	json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps a copy of the JSON.
func (v *ItemValue) UnmarshalJSON(data []byte) error { return v.RawMessage.UnmarshalJSON(data) }

// MarshalJSON returns the JSON unchanged.
func (v ItemValue) MarshalJSON() ([]byte, error) { return v.RawMessage.MarshalJSON() }

// Key of a ConfigMap that has values.
type ItemsKeyRef struct {
	// Name of the ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Key of its data.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// Limits of the items of a role.
const (
	// MaxItems is the maximum number of items.
	MaxItems = 20_000
	// MaxItemsBytes is the maximum length in bytes of all items of a role, as JSON.
	MaxItemsBytes = 1 << 20
	// MaxItemBytes is the maximum length in bytes of one item. The environment of a process cannot hold variables that are twice as long.
	MaxItemBytes = 64 << 10
)

// ItemsStatus stands for the items that a role has in an attempt. A Pod is created only if the items that are known then begin with
// these.
type ItemsStatus struct {
	// How many there are.
	// +kubebuilder:validation:Minimum=1
	Number int32 `json:"number"`
	// Digest of them.
	Digest string `json:"digest"`
}

// AllItems is the taskNumber that stands for as many Tasks as there are items. It is the default, so the API server enters it if the
// field is left out.
const AllItems = 1

// NumberWith returns the number of Tasks that the role has in an attempt with these items; nil if none are known, as of a role without
// items.
func (role *TaskRoleSpec) NumberWith(items *ItemsStatus) int32 {
	number := max(role.TaskNumber, 0)
	switch {
	case items == nil:
		return number
	case number == AllItems:
		return items.Number
	}
	return min(number, items.Number)
}

// WithItems returns the spec with the numbers of Tasks that its roles have in the attempt of that status, or are to have in the first
// one, as far as that is known; the status is nil before. It returns the spec itself if that makes no difference.
func (s *FrameworkSpec) WithItems(status *FrameworkStatus) *FrameworkSpec {
	out := s
	for i := range s.TaskRoles {
		number := s.TaskRoles[i].NumberWith(s.TaskRoles[i].itemsIn(status))
		if number == s.TaskRoles[i].TaskNumber {
			continue
		}
		if out == s {
			changed := *s
			changed.TaskRoles = append([]TaskRoleSpec(nil), s.TaskRoles...)
			out = &changed
		}
		out.TaskRoles[i].TaskNumber = number
	}
	return out
}

// itemsIn returns the items of a role in a status; nil if none are known.
func (role *TaskRoleSpec) itemsIn(status *FrameworkStatus) *ItemsStatus {
	if status == nil {
		if role.Items == nil || len(role.Items.Values) == 0 {
			return nil
		}
		return &ItemsStatus{Number: int32(len(role.Items.Values))}
	}
	for i := range status.AttemptStatus.TaskRoleStatuses {
		if of := &status.AttemptStatus.TaskRoleStatuses[i]; of.Name == role.Name {
			return of.Items
		}
	}
	return nil
}
