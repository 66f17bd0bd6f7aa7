package v1

// SchedulingSpec describes what the Pods of a Framework need from the cluster's scheduler, independent of any
// scheduler. The controller itself reads Gang and TimeoutSec; a scheduler plugin reads all of it, and translates it for
// its scheduler.
type SchedulingSpec struct {
	// Which Tasks are useful only together. When absent, all are.
	// +optional
	Gang *GangSpec `json:"gang,omitempty"`

	// Queue in which the Framework waits for its resources. It takes effect only
	// with a scheduler plugin that reads it.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Queue string `json:"queue,omitempty"`

	// Priority class of the Framework in that queue. It takes effect only with a
	// scheduler plugin that reads it, and does not become the priority class of
	// the Pods.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// How close to each other the Pods must be, at most 20 demands. They take
	// effect only with a scheduler plugin that reads them.
	// +listType=map
	// +listMapKey=key
	// +listMapKey=role
	// +kubebuilder:validation:MaxItems=20
	// +optional
	Topology []TopologySpec `json:"topology,omitempty"`

	// Seconds that the gang may take to be placed, that is, to have nodes for all
	// its Pods, from the time at which the attempt's Pods may be created. If it is
	// not placed in time, all Pods of the attempt are deleted together, and the
	// attempt ends with -130, a conflict. When absent, the gang waits forever.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	TimeoutSec *int32 `json:"timeoutSec,omitempty"`
}

// GangSpec defines how many Tasks are useful only together. Completed Tasks no longer need a place, and Tasks being
// removed by a scale-down are not part of it.
type GangSpec struct {
	// Number of Tasks that must be placed, of any role. When absent, all. A number
	// above the number of Tasks means all.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	// +optional
	MinTasks *int32 `json:"minTasks,omitempty"`

	// Numbers of Tasks of single roles that must be among them.
	// +listType=map
	// +listMapKey=role
	// +kubebuilder:validation:MaxItems=200
	// +optional
	PerRole []RoleGangSpec `json:"perRole,omitempty"`
}

// Minimum number of Tasks of one role in a gang.
type RoleGangSpec struct {
	// Name of the role. A role that does not exist demands nothing.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]{1,63}$`
	Role string `json:"role"`

	// Number of Tasks of the role that must be placed. A number above taskNumber
	// means all.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	MinTasks int32 `json:"minTasks"`
}

// A demand that Pods run in the same part of the cluster.
type TopologySpec struct {
	// Node label; all Pods are placed on nodes with the same value, such as
	// topology.kubernetes.io/zone.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key"`

	// Required makes Pods wait for such nodes; Preferred accepts others if need
	// be.
	Mode TopologyMode `json:"mode"`

	// Role whose Pods the demand applies to. When empty, it applies to all Pods of
	// the Framework.
	// +kubebuilder:default=""
	// +kubebuilder:validation:Pattern=`^([a-z0-9]{1,63})?$`
	// +optional
	Role string `json:"role"`
}

// TopologyMode determines whether a demand may go unmet.
//
// +kubebuilder:validation:Enum=Required;Preferred
type TopologyMode string

const (
	// TopologyRequired: Pods wait until it can be met.
	TopologyRequired TopologyMode = "Required"
	// TopologyPreferred: Pods go elsewhere if it cannot be met.
	TopologyPreferred TopologyMode = "Preferred"
)
