package reason

// Event is the reason of a Kubernetes Event of the controller about a Framework. Each reason to wait is one, too. The zero value is
// no reason.
type Event string

// The reasons. EventTable has what each of them means.
const (
	// Attempts of the Framework.
	AttemptCompleted Event = "AttemptCompleted"
	RetryScheduled   Event = "RetryScheduled"
	Retried          Event = "Retried"
	Completed        Event = "Completed"
	// Suspended and Resumed are also reasons of the condition Suspended.
	Suspended             Event = "Suspended"
	Resumed               Event = "Resumed"
	SchedulingChangedLate Event = "SchedulingChangedLate"

	// Tasks. TaskRetryScheduled is not RetryScheduled: there may be many, and events of one reason are limited.
	TaskFailed         Event = "TaskFailed"
	TaskRetryScheduled Event = "TaskRetryScheduled"
	TaskRetried        Event = "TaskRetried"
	PeersRestarted     Event = "PeersRestarted"
	Rescaled           Event = "Rescaled"
	NodeAvoided        Event = "NodeAvoided"
	AvoidedNodesNeeded Event = "AvoidedNodesNeeded"
	MemoryRaised       Event = "MemoryRaised"
	MemoryKept         Event = "MemoryKept"

	// Objects.
	PodDeleted       Event = "PodDeleted"
	ConfigMapDeleted Event = "ConfigMapDeleted"
	PodRefused       Event = "PodRefused"
	PodWarning       Event = "PodWarning"

	// Plugins.
	PluginSkipped  Event = "PluginSkipped"
	HintsWarning   Event = "HintsWarning"
	HistoryDropped Event = "HistoryDropped"

	// The stored status. StatusInvalid and SpecInvalid are also reasons of the condition StatusInvalid.
	StatusInvalid     Event = "StatusInvalid"
	SpecInvalid       Event = "SpecInvalid"
	StatusRefused     Event = "StatusRefused"
	StatusOverwritten Event = "StatusOverwritten"
	StatusCompressed  Event = "StatusCompressed"
	StatusCut         Event = "StatusCut"

	// The spec.
	RoleDuplicated     Event = "RoleDuplicated"
	HostnameTruncated  Event = "HostnameTruncated"
	SuccessUnreachable Event = "SuccessUnreachable"
	FailureUnreachable Event = "FailureUnreachable"
	GangTooLarge       Event = "GangTooLarge"
	BarrierInTurns     Event = "BarrierInTurns"
	StartAfterUnknown  Event = "StartAfterUnknown"
	KeyVolumeTaken     Event = "KeyVolumeTaken"
	VolumeConflict     Event = "VolumeConflict"
	HostPortShared     Event = "HostPortShared"
	StartNotHeld       Event = "StartNotHeld"
	FieldWithoutEffect Event = "FieldWithoutEffect"
	ItemsEdited        Event = "ItemsEdited"
	ItemsTooFew        Event = "ItemsTooFew"
)

// Event is the reason of the event that reports the wait.
func (w Waiting) Event() Event { return Event(w) }
