package v1

// OnOOMSpec raises the memory of containers that ran out of it (OOMKilled).
type OnOOMSpec struct {
	// Factor, from above 1 to 10, by which the limit and the request of the
	// container are multiplied. The result is rounded up to whole MiB, and is
	// multiplied again if the container runs out of memory again.
	// +kubebuilder:default="1.5"
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^(1\.[0-9]*[1-9][0-9]*|[2-9](\.[0-9]+)?|10(\.0+)?)$`
	// +optional
	MemoryFactor string `json:"memoryFactor,omitempty"`

	// Limit up to which memory is raised, as a quantity such as 64Gi. It lowers no
	// limit of the Pod template.
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^[1-9][0-9]{0,11}(\.[0-9]{1,3})?(k|M|G|T|Ki|Mi|Gi|Ti)?$`
	MaxMemory string `json:"maxMemory"`
}

// MaxAdvisedMemoryFactor is the largest factor by which a plugin may raise memory, at once and over all failures of a Task together,
// where no retryPolicy.onOOM sets a maximum.
const MaxAdvisedMemoryFactor = 4

// ContainerMemory is the memory that a container gets in later Pods of a Task, unless the Pod template gives it more.
type ContainerMemory struct {
	// Name of the container.
	Container string `json:"container"`
	// Limit as a quantity, such as 3Gi.
	Limit string `json:"limit"`
	// Request as a quantity; empty if the Pod had none, so that it equals the
	// limit.
	// +optional
	Request string `json:"request,omitempty"`
	// Limit that the container had before it was first raised.
	FirstLimit string `json:"firstLimit"`
}

// MemoryChange is the consequence for later Pods of a Task when a container of it lacked memory.
type MemoryChange struct {
	// Name of the container.
	Container string `json:"container"`
	// Limit that it had; empty if it had none.
	// +optional
	From string `json:"from,omitempty"`
	// Limit in later Pods; empty if it stays.
	// +optional
	To string `json:"to,omitempty"`
	// Why the limit stays; empty if it was raised.
	// +optional
	Kept MemoryKept `json:"kept,omitempty"`
}

// MemoryKept is why the memory of a container was not raised.
//
// +kubebuilder:validation:Enum=NoLimit;AtMaximum
type MemoryKept string

const (
	// MemoryNoLimit: the container has no memory limit that could be raised. The memory of its node, or of the Pod, was used up.
	MemoryNoLimit MemoryKept = "NoLimit"
	// MemoryAtMaximum: the limit is the maximum already, or above it.
	MemoryAtMaximum MemoryKept = "AtMaximum"
)
