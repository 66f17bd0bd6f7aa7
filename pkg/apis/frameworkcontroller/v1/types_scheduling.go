package v1

// SchedulingSpec says what the Pods of a Framework need of the cluster's scheduler, in words of no scheduler in particular.
// The controller itself reads Gang and TimeoutSec; a scheduler plugin reads all of it, and says it to its scheduler.
type SchedulingSpec struct {
	// Which Tasks are of use only together. When absent, all are.
	// +optional
	Gang *GangSpec `json:"gang,omitempty"`

	// Queue that the Framework waits in for its resources. A scheduler plugin
	// reads it; without one it means nothing.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Queue string `json:"queue,omitempty"`

	// Priority class of the Framework in that queue. A scheduler plugin reads it;
	// without one it means nothing, and does not become that of the Pods.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// How close to each other the Pods are to be, at most 20 demands. A scheduler
	// plugin reads them; without one they mean nothing.
	// +listType=map
	// +listMapKey=key
	// +listMapKey=role
	// +kubebuilder:validation:MaxItems=20
	// +optional
	Topology []TopologySpec `json:"topology,omitempty"`

	// Seconds that the gang may take to be placed, which is to have nodes for all
	// its Pods, from when the attempt's Pods may be created. If it is not placed
	// by then, all Pods of the attempt are given up together, and it ends with
	// -130, a conflict. When absent, it waits for ever.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	TimeoutSec *int32 `json:"timeoutSec,omitempty"`
}

// GangSpec says how many Tasks are of use only together. Tasks that have completed need no place any more, and those that a
// scale-down removes are no part of it.
type GangSpec struct {
	// How many Tasks have to be placed, of whatever role. When absent, all. More
	// than there are is as good as all.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	// +optional
	MinTasks *int32 `json:"minTasks,omitempty"`

	// How many Tasks of single roles have to be among them.
	// +listType=map
	// +listMapKey=role
	// +kubebuilder:validation:MaxItems=200
	// +optional
	PerRole []RoleGangSpec `json:"perRole,omitempty"`
}

// How many Tasks of one role a gang has to have.
type RoleGangSpec struct {
	// Name of the role. One that does not exist demands nothing.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]{1,63}$`
	Role string `json:"role"`

	// How many Tasks of the role have to be placed. More than it has is as good
	// as all.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	MinTasks int32 `json:"minTasks"`
}

// A demand that Pods are in the same part of the cluster.
type TopologySpec struct {
	// Label of nodes whose value the Pods' nodes have in common, such as
	// topology.kubernetes.io/zone.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key"`

	// Required has Pods wait for such nodes; Preferred takes others if need be.
	Mode TopologyMode `json:"mode"`

	// Role whose Pods it is about. When empty, it is about all Pods of the
	// Framework.
	// +kubebuilder:default=""
	// +kubebuilder:validation:Pattern=`^([a-z0-9]{1,63})?$`
	// +optional
	Role string `json:"role"`
}

// TopologyMode says whether a demand may go unmet.
//
// +kubebuilder:validation:Enum=Required;Preferred
type TopologyMode string

const (
	// TopologyRequired: Pods wait until it can be met.
	TopologyRequired TopologyMode = "Required"
	// TopologyPreferred: Pods go elsewhere if it cannot be met.
	TopologyPreferred TopologyMode = "Preferred"
)
