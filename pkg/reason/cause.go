package reason

// Cause is the reason for which the controller deletes a Pod or a ConfigMap. The zero value is no cause.
type Cause uint8

// The causes. Causes explains each of them.
const (
	// TaskEnded: the attempt of the Task has ended, and no other attempt of the Task follows.
	TaskEnded Cause = 1 + iota
	// TaskRetry: the attempt of the Task has ended, and another one follows.
	TaskRetry
	// StartDeadline: the Pod did not run in time.
	StartDeadline
	// AvoidedNodes: the Pod must avoid nodes, and no other node was found.
	AvoidedNodes
	// RestartWithPeers: another Task has failed, and this one restarts with it.
	RestartWithPeers
	// ScaleDown: the Task is removed.
	ScaleDown
	// Suspension: the Framework is suspended.
	Suspension
	// Eviction: the scheduler has evicted the attempt.
	Eviction
	// NotPlaced: the gang was not placed in time.
	NotPlaced
	// Stop: a user has stopped the Framework.
	Stop
	// AttemptEnded: the attempt of the Framework has ended in any other way.
	AttemptEnded
	// NeverSeen: the object was created, and no watch has shown it in time.
	NeverSeen
	// NeverAdopted: the object was created for something that no longer needs it when this became known.
	NeverAdopted
	// Orphan: the object belongs to no Task, or to no attempt.
	Orphan
	// ForcedAfterTimeout: the Pod took longer to terminate than it may.
	ForcedAfterTimeout
	// CollectorLate: the garbage collector did not delete the ConfigMap, though no Pod of it is left.
	CollectorLate
	// ActiveDeadline: the Framework has used up its running time.
	ActiveDeadline
	// TaskDeadline: the attempt of the Task has used up its running time.
	TaskDeadline
)

// EventReason is the reason of an event about deleted objects of that kind.
func (k Kind) EventReason() Event {
	if k == Pod {
		return PodDeleted
	}
	return ConfigMapDeleted
}

// Row holds all facts about a cause.
type Row struct {
	Cause Cause
	// ID is the cause in logs, labels of metrics and annotations. It never changes.
	ID string
	// PodEvent and ConfigMapEvent are the reasons of the events that cover the deletion of a Pod or a ConfigMap for this cause;
	// empty if there is no such deletion. A deletion in every regular life has no event of its own, since each Task would cost
	// another request: an existing event is named instead.
	PodEvent, ConfigMapEvent Event
	// Means describes the cause of the deletion, in a sentence that fits one object and many.
	Means string
	// Change is the remedy against such deletions; empty if they are as they should be.
	Change string
	// Next is the command to run next. Names in it stand in braces, as in pkg/explain.
	Next Step
}

var table = [...]Row{
	{Cause: TaskEnded, ID: "TaskEnded", PodEvent: TaskFailed,
		Means: "The attempt of the Task ended, and the Task is not retried.",
		Next:  explainTask},
	{Cause: TaskRetry, ID: "TaskRetry", PodEvent: TaskRetried,
		Means: "The attempt of the Task ended, and the Task is retried.",
		Next:  explainTask},
	{Cause: StartDeadline, ID: "StartDeadline", PodEvent: TaskRetried,
		Means:  "The Pod did not run before its startDeadline was over.",
		Change: "correct what keeps the Pod from running, or raise startDeadline of the role.",
		Next:   explainTask},
	{Cause: AvoidedNodes, ID: "AvoidedNodes", PodEvent: AvoidedNodesNeeded,
		Means:  "The scheduler found no node except the ones that the Pod must avoid.",
		Change: "add nodes, or prefer other nodes in avoidNodes of the retry policy instead of requiring them.",
		Next:   SeeNodes},
	{Cause: RestartWithPeers, ID: "RestartWithPeers", PodEvent: PodDeleted,
		Means:  "Another Task failed, and this Task restarts with it.",
		Change: "see why the other Task failed, or change restart in its retry policy.",
		Next:   explainAttempt},
	{Cause: ScaleDown, ID: "ScaleDown", PodEvent: PodDeleted,
		Means: "taskNumber of the role was lowered, or the role was removed, so the Task is removed.",
		Next:  SeeTasks},
	{Cause: Suspension, ID: "Suspension", PodEvent: PodDeleted, ConfigMapEvent: Suspended,
		Means: "The Framework was suspended: spec.suspend was true.",
		Next:  StartFramework},
	{Cause: Eviction, ID: "Eviction", PodEvent: PodDeleted, ConfigMapEvent: AttemptCompleted,
		Means:  "The scheduler evicted the attempt.",
		Change: "see why the scheduler evicted the attempt, for example for a higher priority.",
		Next:   SeeEvents},
	{Cause: NotPlaced, ID: "NotPlaced", PodEvent: PodDeleted, ConfigMapEvent: AttemptCompleted,
		Means:  "The gang had no nodes before spec.scheduling.timeoutSec was over.",
		Change: "request less, add nodes, or raise spec.scheduling.timeoutSec.",
		Next:   SeeNodes},
	{Cause: Stop, ID: "Stop", PodEvent: Completed, ConfigMapEvent: Completed,
		Means: "A user stopped the Framework.",
		Next:  explainAttempt},
	{Cause: AttemptEnded, ID: "AttemptEnded", PodEvent: Completed, ConfigMapEvent: Completed,
		Means: "The attempt of the Framework ended.",
		Next:  explainAttempt},
	{Cause: NeverSeen, ID: "NeverSeen", PodEvent: PodDeleted, ConfigMapEvent: AttemptCompleted,
		Means:  "The controller did not see the object in time after its creation.",
		Change: "relieve the API server, or raise objectLocalCacheCreationTimeoutSec of the controller.",
		Next:   AskAPIServer},
	{Cause: NeverAdopted, ID: "NeverAdopted", PodEvent: PodDeleted, ConfigMapEvent: ConfigMapDeleted,
		Means: "The object was created for an attempt that no longer needed it when the controller learned of it.",
		Next:  SeeEvents},
	{Cause: Orphan, ID: "Orphan", PodEvent: PodDeleted, ConfigMapEvent: ConfigMapDeleted,
		Means: "The object belongs to no Task or attempt in the status of the Framework.",
		Next:  SeeTasks},
	{Cause: ForcedAfterTimeout, ID: "ForcedAfterTimeout", PodEvent: PodDeleted,
		Means:  "The Pod was still terminating when podGracefulDeletionTimeoutSec was over, so it was deleted by force.",
		Change: "see why its node does not end the Pod, or raise podGracefulDeletionTimeoutSec of the role.",
		Next:   DescribePod},
	{Cause: CollectorLate, ID: "CollectorLate", ConfigMapEvent: ConfigMapDeleted,
		Means:  "The garbage collector did not delete the ConfigMap, though none of its Pods is left.",
		Change: "see whether kube-controller-manager runs.",
		Next:   SeeEvents},
	{Cause: ActiveDeadline, ID: "ActiveDeadline", PodEvent: Completed, ConfigMapEvent: Completed,
		Means:  "The Framework ran for as long as spec.activeDeadlineSeconds allows.",
		Change: "raise spec.activeDeadlineSeconds, or shorten the work.",
		Next:   explainAttempt},
	{Cause: TaskDeadline, ID: "TaskDeadline", PodEvent: TaskRetried,
		Means:  "The attempt of the Task ran for as long as task.activeDeadlineSeconds of its role allows.",
		Change: "raise task.activeDeadlineSeconds of the role, or shorten the work.",
		Next:   explainTask},
}

// Causes returns the row of each cause.
func Causes() []Row { return table[:] }

// Row returns the row of the cause; the zero value if it is none.
func (c Cause) Row() Row {
	if c == 0 || int(c) > len(table) {
		return Row{}
	}
	return table[c-1]
}

// String is the ID of the cause; empty if it is none.
func (c Cause) String() string { return c.Row().ID }

// CauseOf returns the cause with that ID; zero if there is none.
func CauseOf(id string) Cause {
	for i := range table {
		if table[i].ID == id {
			return table[i].Cause
		}
	}
	return 0
}

// EventOf is the reason of the event that covers the deletion of an object of the kind; empty if no such object is deleted for
// this cause.
func (r Row) EventOf(kind Kind) Event {
	if kind == Pod {
		return r.PodEvent
	}
	return r.ConfigMapEvent
}

// May reports whether an object of that kind may be deleted for this.
func (r Row) May(kind Kind) bool { return r.EventOf(kind) != "" }

// HasEvent reports whether deleting an object of that kind has an event of its own.
func (r Row) HasEvent(kind Kind) bool { return r.May(kind) && r.EventOf(kind) == kind.EventReason() }
