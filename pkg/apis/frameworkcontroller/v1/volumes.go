package v1

import "encoding/json"

// VolumeSpec is a volume that is made for a Framework: one or more
// PersistentVolumeClaims, mounted in its Pods.
//
// +kubebuilder:validation:XValidation:rule="self.per == oldSelf.per",message="per cannot be changed, as claims may exist; take the volume out and add one with another name",fieldPath=".per"
// +kubebuilder:validation:XValidation:rule="self.retention == oldSelf.retention",message="retention cannot be changed, as claims may exist; take the volume out and add one with another name",fieldPath=".retention"
// +kubebuilder:validation:XValidation:rule=`(has(self.role) ? self.role : "") == (has(oldSelf.role) ? oldSelf.role : "")`,message="role cannot be changed, as claims may exist; take the volume out and add one with another name",fieldPath=".role"
type VolumeSpec struct {
	// Name of the volume, unique in the Framework; the last part of the names of
	// its claims, and the name of the volume in Pods.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9]{0,62}$`
	Name string `json:"name"`

	// Directory at which containers have the volume: an absolute path of letters,
	// digits, '.', '_' and '-'. A Pod is not created if its template mounts
	// something else there.
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^(/[A-Za-z0-9._-]+)+$`
	MountPath string `json:"mountPath"`

	// Which Tasks share a claim: all Tasks of the Framework, the Tasks of each
	// role, or none, so that each Task has its own. The claim is named
	// {framework}-{name}, {framework}-{role}-{name} or
	// {framework}-{role}-{index}-{name}. It cannot be changed.
	// +kubebuilder:default=Framework
	// +optional
	Per VolumePer `json:"per,omitempty"`

	// The only role whose Pods have the volume. When absent, the Pods of all roles
	// have it. It cannot be changed.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]{1,63}$`
	// +optional
	Role string `json:"role,omitempty"`

	// Names of the containers and init containers that have the volume. When
	// absent, all of them have it.
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +listType=atomic
	// +optional
	Containers []string `json:"containers,omitempty"`

	// Spec of the PersistentVolumeClaims, such as accessModes, storageClassName
	// and resources. A change applies to claims that are created later; existing
	// claims stay as they are.
	// ---
	// The API server of the cluster knows all its fields, and checks them when a claim is created.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Claim json.RawMessage `json:"claim"`

	// Delete: claims are deleted with the Framework, and the claim of a Task or
	// role when a rescale removes that, or the volume is taken out of the spec.
	// Retain: claims stay, and are used again by a Task, role or Framework of the
	// same name. It cannot be changed.
	// +kubebuilder:default=Delete
	// +optional
	Retention VolumeRetention `json:"retention,omitempty"`
}

// VolumePer states who shares a claim of a volume. The empty string means Framework.
//
// +kubebuilder:validation:Enum=Framework;Role;Task
type VolumePer string

const (
	// VolumePerFramework: one claim for all Tasks.
	VolumePerFramework VolumePer = "Framework"
	// VolumePerRole: one claim for each role.
	VolumePerRole VolumePer = "Role"
	// VolumePerTask: one claim for each Task, which keeps it over retries.
	VolumePerTask VolumePer = "Task"
)

// VolumeRetention decides about claims that are no longer needed. The empty string means Delete.
//
// +kubebuilder:validation:Enum=Delete;Retain
type VolumeRetention string

const (
	// VolumeDelete: they are deleted.
	VolumeDelete VolumeRetention = "Delete"
	// VolumeRetain: they stay, and are found again by their names.
	VolumeRetain VolumeRetention = "Retain"
)

// VolumeStatus lists the claims of a volume that may exist.
type VolumeStatus struct {
	// Name of the volume.
	// +optional
	Name string `json:"name"`
	// Who shares a claim, as in the spec.
	// +optional
	Per VolumePer `json:"per"`
	// Role whose claims these are; absent if all roles share one.
	// +optional
	Role string `json:"role,omitempty"`
	// Number of claims that have been created, or are about to be: 1, or, with per
	// Task, one for each Task with a lower index.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Claims int32 `json:"claims"`
	// How many of these, from the end, are being deleted; absent if none is.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Removing int32 `json:"removing,omitempty"`
	// Indices of the Tasks with a claim that is being deleted and needed again,
	// because their volume was taken out of the spec and put back, or their number
	// was lowered and raised; 0 if they share it. They get a new claim once the
	// former is gone. Absent if there are none.
	// +kubebuilder:validation:items:Minimum=0
	// +kubebuilder:validation:items:Maximum=2147483647
	// +listType=atomic
	// +optional
	Replacing []int32 `json:"replacing,omitempty"`
	// Whether claims that are no longer needed are deleted, as in the spec.
	// +optional
	Retention VolumeRetention `json:"retention"`
}

// For reports whether the Pods of a role have the volume.
func (v *VolumeSpec) For(role string) bool { return v.Role == "" || v.Role == role }

// SharedBy returns Per with its default.
func (v *VolumeSpec) SharedBy() VolumePer {
	if v.Per == "" {
		return VolumePerFramework
	}
	return v.Per
}

// Retained returns Retention with its default.
func (v *VolumeSpec) Retained() VolumeRetention {
	if v.Retention == "" {
		return VolumeDelete
	}
	return v.Retention
}

// Volume returns the volume of that name; nil if there is none. If several have the same name, the first counts.
func (s *FrameworkSpec) Volume(name string) *VolumeSpec {
	for i := range s.Volumes {
		if s.Volumes[i].Name == name {
			return &s.Volumes[i]
		}
	}
	return nil
}
