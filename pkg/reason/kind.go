package reason

// Kind is the kind of a reason's subject.
type Kind string

// The kinds.
const (
	Framework Kind = "Framework"
	TaskRole  Kind = "TaskRole"
	Task      Kind = "Task"
	Pod       Kind = "Pod"
	ConfigMap Kind = "ConfigMap"
	// Object: a Pod, ConfigMap, Service or Secret of the Framework, or an object that its scheduler needs.
	Object Kind = "object"
	Plugin Kind = "plugin"
)

// Kinds returns the kinds of objects that are deleted for a Cause, in a fixed order.
func Kinds() []Kind { return []Kind{Pod, ConfigMap} }
