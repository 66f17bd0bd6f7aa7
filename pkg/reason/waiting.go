package reason

// Waiting is a reason of the condition Waiting. An API server or a webhook may give one that is not among the constants. The zero
// value is no reason.
type Waiting string

// The reasons to wait that the controller knows of.
const (
	// TooManyTasks: the spec has more Tasks than the controller creates.
	TooManyTasks Waiting = "TooManyTasks"
	// ItemsNotReady: the items of a role cannot be read, or are not usable.
	ItemsNotReady Waiting = "ItemsNotReady"
	// ItemsChanged: Tasks need Pods, and the items with which their attempt began are no longer known.
	ItemsChanged Waiting = "ItemsChanged"
	// PodTerminating: a Pod is still terminating after its grace period.
	PodTerminating Waiting = "PodTerminating"
	// ConfigMapTerminating: the ConfigMap of the attempt is still terminating, though none of its Pods is left.
	ConfigMapTerminating Waiting = "ConfigMapTerminating"
	// Unschedulable: the scheduler finds no node for a Pod.
	Unschedulable Waiting = "Unschedulable"
	// ImageNotPulled: a node cannot pull an image.
	ImageNotPulled Waiting = "ImageNotPulled"
	// ContainerNotStarted: a node has the image but cannot start the container.
	ContainerNotStarted Waiting = "ContainerNotStarted"
	// ContainerCrashing: a container is restarted again and again.
	ContainerCrashing Waiting = "ContainerCrashing"
	// ContainersLeft: the container that does the work has ended, and another one keeps the Pod running.
	ContainersLeft Waiting = "ContainersLeft"
	// SchedulingGated: a Pod has scheduling gates, such as the gates of a job queue.
	SchedulingGated Waiting = "SchedulingGated"
	// PodNotScheduled: no scheduler has reported anything about a Pod.
	PodNotScheduled Waiting = "PodNotScheduled"
	// PodNotStarted: a Pod has a node, and no container runs, for no known reason.
	PodNotStarted Waiting = "PodNotStarted"
	// StartBlocked: the startAfter of a role can never be met unless something changes.
	StartBlocked Waiting = "StartBlocked"
	// StartsLater: a role waits for others to succeed, or for another Framework, by its startAfter. The wait is intended.
	StartsLater Waiting = "StartsLater"
	// ServiceAccountNotFound: a Pod names a ServiceAccount that does not exist.
	ServiceAccountNotFound Waiting = "ServiceAccountNotFound"
	// PriorityClassNotFound: a Pod names a PriorityClass that does not exist.
	PriorityClassNotFound Waiting = "PriorityClassNotFound"
	// RuntimeClassNotFound: a Pod names a RuntimeClass that does not exist.
	RuntimeClassNotFound Waiting = "RuntimeClassNotFound"
	// NameConflict: another object has the name that an object of the Framework needs.
	NameConflict Waiting = "NameConflict"
	// Invalid: the API server rejects a Service or a Secret as invalid.
	Invalid Waiting = "Invalid"
	// Forbidden: the API server forbids a request: a quota, a policy, a webhook or a missing permission.
	Forbidden Waiting = "Forbidden"
	// InternalError: the API server cannot serve a request, most often because a webhook does not answer.
	InternalError Waiting = "InternalError"
	// RequestRefused: the API server refuses a request for a reason that cannot be a reason of a condition.
	RequestRefused Waiting = "RequestRefused"
	// APIServerUnreachable: the API server does not answer.
	APIServerUnreachable Waiting = "APIServerUnreachable"
	// MemoryLimitReached: the Framework would exceed the memory that the controller has for its author.
	MemoryLimitReached Waiting = "MemoryLimitReached"
	// PluginUnavailable: a plugin does not answer.
	PluginUnavailable Waiting = "PluginUnavailable"
	// PluginRefused: a plugin rejects its parameters in spec.plugins.
	PluginRefused Waiting = "PluginRefused"
	// HintsRefused: the plugin of the scheduler reports that the Framework cannot be scheduled as it is.
	HintsRefused Waiting = "HintsRefused"
	// HintsObjectsFailed: an object that the scheduler needs cannot be created.
	HintsObjectsFailed Waiting = "HintsObjectsFailed"
	// SchedulerNotReady: the scheduler has not admitted the Framework yet.
	SchedulerNotReady Waiting = "SchedulerNotReady"
	// NamesUnresolvable: DNS cannot resolve the names of some Pods. It keeps nothing from running.
	NamesUnresolvable Waiting = "NamesUnresolvable"
)
