package v1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// State is the state of a Framework, or of a Task, in its current attempt. Both go through the same nine states; the
// transition tables of pkg/lifecycle define their meaning for each (contract 2.2, 2.3). The object is the attempt's
// ConfigMap for a Framework, and the Pod for a Task.
type State string

const (
	// AttemptCreationPending: the object is not known to exist. Every attempt
	// starts here.
	AttemptCreationPending State = "AttemptCreationPending"
	// AttemptCreationRequested: the API server has accepted the object, but our
	// cache does not show it yet.
	AttemptCreationRequested State = "AttemptCreationRequested"
	// AttemptPreparing: the object exists, and nothing runs yet.
	AttemptPreparing State = "AttemptPreparing"
	// AttemptRunning: the Pod runs; for a Framework, some Task has run.
	AttemptRunning State = "AttemptRunning"
	// AttemptDeletionPending: the attempt is decided, its completionStatus is set,
	// and the object still exists.
	AttemptDeletionPending State = "AttemptDeletionPending"
	// AttemptDeletionRequested: the API server has accepted the deletion, but our
	// cache does not show it yet.
	AttemptDeletionRequested State = "AttemptDeletionRequested"
	// AttemptDeleting: the object is terminating.
	AttemptDeleting State = "AttemptDeleting"
	// AttemptCompleted: the object is gone for good; a retry is yet to be decided,
	// or waits for its delay.
	AttemptCompleted State = "AttemptCompleted"
	// Completed: that was the last attempt.
	Completed State = "Completed"
)

// FrameworkStatus is the current state of a Framework (contract 1.3). Times have whole seconds.
// ---
// The controller writes it as a whole, so the API server need not track the owner of each field. For ten Tasks, that
// tracking took a fifth of the time of a status write.
//
// +structType=atomic
// +kubebuilder:pruning:PreserveUnknownFields
type FrameworkStatus struct {
	// When the controller first gave the object a status.
	// +optional
	// +nullable
	StartTime metav1.Time `json:"startTime"`
	// When the Framework first ran; kept across retries.
	// +optional
	// +nullable
	RunTime *metav1.Time `json:"runTime"`
	// When state became Completed.
	// +optional
	// +nullable
	CompletionTime *metav1.Time `json:"completionTime"`
	// State of the current attempt.
	// +optional
	State State `json:"state"`
	// When state last changed.
	// +optional
	// +nullable
	TransitionTime metav1.Time `json:"transitionTime"`
	// How long the Framework has run, over all its attempts; absent unless
	// spec.activeDeadlineSeconds is or was set.
	// +optional
	ActiveTime *ActiveTimeStatus `json:"activeTime,omitempty"`
	// Counts of retries of the whole Framework.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	RetryPolicyStatus RetryPolicyStatus `json:"retryPolicyStatus"`
	// The current attempt with all its Tasks; a retry replaces it as a whole.
	// ---
	// The CRD does not look inside: that would cost too much for 10,000 Tasks.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	AttemptStatus FrameworkAttemptStatus `json:"attemptStatus"`

	// The metadata.generation that this status takes into account.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Numbers of Tasks, without the Tasks that a scale-down is removing.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Tasks *TaskCounts `json:"tasks,omitempty"`
	// The attempt's instanceUID once every Task has an address, absent before. A
	// barrier selects on it. Tasks of roles that are held back do not count. A
	// role with parallelism needs as many addresses as Tasks of it may run at
	// once.
	// +optional
	Gate string `json:"gate,omitempty"`
	// Progress of the order of startAfter in this attempt; absent if no role has a
	// startAfter.
	// +optional
	Gates *RoleGates `json:"gates,omitempty"`
	// Frameworks that roles have started after, or may: each has completed as
	// startAfter asks. Kept over attempts as long as a startAfter names the
	// Framework; absent if there are none.
	// +listType=atomic
	// +optional
	StartedAfter []StartedAfterStatus `json:"startedAfter,omitempty"`
	// Nodes that new Pods avoid, at most 100, by name; absent if there are none.
	// +listType=atomic
	// +optional
	AvoidedNodes []AvoidedNode `json:"avoidedNodes,omitempty"`
	// Name of the Service that spec.network asks for, which may not have been
	// created yet; absent if there is none.
	// +optional
	ServiceName string `json:"serviceName,omitempty"`
	// Name of the Secret that spec.ssh asks for, which may not have been created
	// yet; absent if there is none.
	// +optional
	SecretName string `json:"secretName,omitempty"`
	// PersistentVolumeClaims of spec.volumes, which may not have been created yet;
	// absent if there are none.
	// +listType=atomic
	// +optional
	Volumes []VolumeStatus `json:"volumes,omitempty"`
	// Facts about the current wait; absent if the Framework waits for nothing.
	// The condition Waiting has the same facts in a sentence.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Waiting *WaitingStatus `json:"waiting,omitempty"`
	// Running, Completed, Failed, Suspended, Waiting and StatusInvalid, in the
	// standard form.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Types of FrameworkStatus.Conditions.
const (
	// ConditionRunning is true while the current attempt runs.
	ConditionRunning = "Running"
	// ConditionCompleted is true once the Framework has completed for good, however it ended.
	ConditionCompleted = "Completed"
	// ConditionFailed is true once the Framework has completed for good without
	// success.
	ConditionFailed = "Failed"
	// ConditionSuspended is true while spec.suspend keeps the Framework from
	// running, including the time in which the ended attempt still has Pods. It is
	// present only once the Framework has been suspended.
	ConditionSuspended = "Suspended"
	// ConditionWaiting is true while an external obstacle keeps the Framework from
	// progressing.
	ConditionWaiting = "Waiting"
	// ConditionStatusInvalid is true if the stored status makes no sense; the
	// controller then ignores the Framework.
	ConditionStatusInvalid = "StatusInvalid"
)

// TaskCounts are numbers of Tasks of the current attempt.
type TaskCounts struct {
	// Number of all Tasks.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Total int32 `json:"total"`
	// Tasks whose Pod runs.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Running int32 `json:"running"`
	// Tasks that completed with success.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Succeeded int32 `json:"succeeded"`
	// Tasks that completed with failure.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Failed int32 `json:"failed"`
	// Failed Tasks that did not fail by themselves, but were cut short when the
	// attempt ended; absent if there are none.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	CutShort int32 `json:"cutShort,omitempty"`
	// Tasks that wait until the parallelism of their role lets them have a Pod;
	// absent if there are none.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Waiting int32 `json:"waiting,omitempty"`
}

// WaitingStatus says what a Framework waits for. Fields that do not apply are absent.
type WaitingStatus struct {
	// Reason of the condition Waiting.
	// +optional
	Reason string `json:"reason"`
	// When the wait for this reason began.
	// +optional
	// +nullable
	Since metav1.Time `json:"since"`
	// TaskRole that the wait is about.
	// +optional
	Role string `json:"role,omitempty"`
	// Index of the Task that the wait is about; of several Tasks, the first one.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Index *int32 `json:"index,omitempty"`
	// Pod that the wait is about.
	// +optional
	Pod string `json:"pod,omitempty"`
	// Node of the Pod.
	// +optional
	Node string `json:"node,omitempty"`
	// Container of the Pod that the wait is about.
	// +optional
	Container string `json:"container,omitempty"`
	// How many more Tasks wait for the same; a number above 10 is a lower bound
	// that changes rarely.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	MoreTasks int32 `json:"moreTasks,omitempty"`
	// Action of the controller that has not succeeded yet, such as CreatePod or
	// AskHints.
	// +optional
	Action string `json:"action,omitempty"`
	// Message of the scheduler, the kubelet, the API server or a plugin,
	// unchanged. Its wording may change at any time.
	// +optional
	Message string `json:"message,omitempty"`
}

// ActiveTimeStatus is the running time of a Framework. Time counts from the first Pod of an attempt that runs until the
// end of the attempt is decided.
type ActiveTimeStatus struct {
	// Seconds for which earlier attempts ran.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Seconds int64 `json:"seconds"`
	// Since when the current attempt runs; null while nothing runs.
	// +optional
	// +nullable
	Since *metav1.Time `json:"since"`
}

// RetryPolicyStatus counts the retries of a Framework or a Task.
type RetryPolicyStatus struct {
	// Retries so far; equals the id of the current attempt.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	TotalRetriedCount int32 `json:"totalRetriedCount"`
	// Retries that count against maxRetryCount.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	AccountableRetriedCount int32 `json:"accountableRetriedCount"`
	// Set only while a retry is scheduled: seconds from the attempt's completion
	// to the retry.
	// +optional
	// +nullable
	RetryDelaySec *int64 `json:"retryDelaySec"`
	// Times of the last failures that counted, oldest first; absent without
	// retryPolicy.window, which limits their number.
	// +optional
	RecentFailures []metav1.Time `json:"recentFailures,omitempty"`
	// Retries that counted against budgets, in the order in which the budgets were
	// first used; absent if there were none.
	// +optional
	Budgets []RetryBudgetStatus `json:"budgets,omitempty"`
}

// FrameworkAttemptStatus is one attempt of the whole Framework.
type FrameworkAttemptStatus struct {
	// Number of this attempt, from 0.
	ID int32 `json:"id"`
	// When the attempt became pending.
	StartTime metav1.Time `json:"startTime"`
	// When the attempt first ran; null until then.
	RunTime *metav1.Time `json:"runTime"`
	// When the attempt completed; null until then.
	CompletionTime *metav1.Time `json:"completionTime"`
	// {id}_{configMapUID}; null until the ConfigMap is created.
	InstanceUID *string `json:"instanceUID"`
	// Name of the attempt's ConfigMap; the same for every attempt.
	ConfigMapName string `json:"configMapName"`
	// Null until creation is acknowledged; never changes within an attempt.
	ConfigMapUID *types.UID `json:"configMapUID"`
	// How the attempt ended; written once.
	CompletionStatus *FrameworkAttemptCompletionStatus `json:"completionStatus"`
	// How the attempt's Pods are presented to a scheduler; absent if no plugin
	// gave hints.
	SchedulerHints *SchedulerHints `json:"schedulerHints,omitempty"`
	// When the search for nodes began, and when the gang was placed; absent if
	// spec.scheduling.timeoutSec is not set.
	Placement *PlacementStatus `json:"placement,omitempty"`
	// Null if and only if TaskRoleStatusesCompressed holds them.
	TaskRoleStatuses []TaskRoleStatus `json:"taskRoleStatuses"`
	// gzip of the JSON of TaskRoleStatuses; absent when it is small enough to be
	// stored as it is.
	TaskRoleStatusesCompressed []byte `json:"taskRoleStatusesCompressed,omitempty"`
}

// SchedulerHints is the answer of a plugin for hints. It is stored before the first Pod that is created with it.
type SchedulerHints struct {
	// Name of the plugin in the controller's configuration.
	Plugin string `json:"plugin"`
	// Version that the plugin reports; empty if it reports none.
	Version string `json:"version,omitempty"`
	// Scale for which it was asked: {role}={taskNumber}, separated by commas. If
	// the plugin follows Tasks, -{completed} is added for a role in which some
	// have completed; if it follows the start, and all Tasks that it counts have
	// run, "started" is appended. A role that is held back counts as 0, and a role
	// with parallelism as many Tasks as may run at once; -{completed} is then how
	// many of these are no longer needed. +{MiB} is the memory that Tasks of the
	// role were raised to after they ran out of it, if any did.
	Scale string `json:"scale"`
	// Digest of spec.scheduling and of the plugins' parameters for which it was
	// asked; absent if the controller of that time wrote no digests.
	// +optional
	SchedulingDigest string `json:"schedulingDigest,omitempty"`
	// True if it was asked again in this attempt, after an edit of spec.scheduling
	// or spec.plugins. Until a Pod may be created, existing objects are updated to
	// match the answer, or replaced if they cannot be updated.
	// +optional
	Renewed bool `json:"renewed,omitempty"`
	// Answer as a HintResponse of the plugin contract, in JSON; at most 64 KiB.
	Answer json.RawMessage `json:"answer"`
	// The scheduler's words when it admitted the attempt, as a MayCreateResponse
	// of the plugin contract; absent until then, and for plugins that neither
	// watch nor give patches with it. At most 64 KiB.
	// +optional
	Admission json.RawMessage `json:"admission,omitempty"`
	// Grace period in seconds for the Pods since the scheduler evicted the
	// attempt; absent if the scheduler leaves it to the Pods.
	// +optional
	EvictionGracePeriodSeconds int32 `json:"evictionGracePeriodSeconds,omitempty"`
	// Objects of earlier answers for the attempt that are not in this one. They
	// are deleted.
	// +optional
	Superseded []HintObject `json:"superseded,omitempty"`
}

// HintObject names an object in the Framework's namespace that a plugin asked to create.
type HintObject struct {
	// API version of the object, such as v1.
	APIVersion string `json:"apiVersion"`
	// Kind of the object.
	Kind string `json:"kind"`
	// Name of the object.
	Name string `json:"name"`
}

// PlacementStatus records the progress of placing the attempt's gang on nodes.
type PlacementStatus struct {
	// Time from which spec.scheduling.timeoutSec counts.
	StartTime metav1.Time `json:"startTime"`
	// When the gang was placed; after that, this attempt cannot time out.
	PlacedTime *metav1.Time `json:"placedTime"`
}

// TaskRoleStatus is the state of one role in the current attempt.
type TaskRoleStatus struct {
	// Name of the role.
	Name string `json:"name"`
	// Random UID of this role in this attempt.
	InstanceUID string `json:"instanceUID"`
	// Copy of the spec's value, kept for a role that has been removed from the
	// spec.
	PodGracefulDeletionTimeoutSec *int64 `json:"podGracefulDeletionTimeoutSec"`
	// Number of restarts of the role by its retryPolicy in this attempt.
	RetriedCount int32 `json:"retriedCount,omitempty"`
	// Items of the role in this attempt; absent without items, and until they are
	// known.
	// +optional
	Items *ItemsStatus `json:"items,omitempty"`
	// Position equals index.
	TaskStatuses []TaskStatus `json:"taskStatuses"`
}

// TaskStatus is the state of one Task.
type TaskStatus struct {
	// Number of the Task in its role, from 0.
	Index int32 `json:"index"`
	// Random UID of this Task instance. It changes when a rescale removes and adds
	// the Task again. Empty until the parallelism of the role first lets the Task
	// have a Pod.
	InstanceUID string `json:"instanceUID"`
	// When the Task was added.
	StartTime metav1.Time `json:"startTime"`
	// When the Task first ran; kept across retries.
	RunTime *metav1.Time `json:"runTime"`
	// When the Task completed for good; null until then.
	CompletionTime *metav1.Time `json:"completionTime"`
	// State of the current attempt.
	State State `json:"state"`
	// When state last changed.
	TransitionTime metav1.Time `json:"transitionTime"`
	// True while a scale-down is removing the Task. It changes from false to true
	// once, and never back.
	DeletionPending bool `json:"deletionPending"`
	// Counts of retries of the Task.
	RetryPolicyStatus RetryPolicyStatus `json:"retryPolicyStatus"`
	// The current attempt; a retry replaces it as a whole.
	AttemptStatus TaskAttemptStatus `json:"attemptStatus"`
	// Results of the last 8 attempts before this one, oldest first; absent if
	// there were none.
	EarlierAttempts []EarlierTaskAttempt `json:"earlierAttempts,omitempty"`
	// Memory that containers of later Pods get because they ran out of memory;
	// absent if none did. Kept over attempts of the Framework.
	// +optional
	Memory []ContainerMemory `json:"memory,omitempty"`
}

// TaskAttemptStatus is one attempt of a Task.
type TaskAttemptStatus struct {
	// Number of this attempt, from 0.
	ID int32 `json:"id"`
	// When the attempt became pending.
	StartTime metav1.Time `json:"startTime"`
	// When the attempt first ran; null until then.
	RunTime *metav1.Time `json:"runTime"`
	// When the attempt completed; null until then.
	CompletionTime *metav1.Time `json:"completionTime"`
	// {id}_{podUID}; null until the Pod is created.
	InstanceUID *string `json:"instanceUID"`
	// Name of the Task's Pod; the same for every attempt.
	PodName string `json:"podName"`
	// Null until creation is acknowledged; never changes within an attempt.
	PodUID *types.UID `json:"podUID"`
	// Node of the Pod. Null until the live Pod was first seen, then possibly empty;
	// frozen once the Pod terminates.
	PodNodeName *string `json:"podNodeName"`
	// Address of the Pod, null and frozen as podNodeName.
	PodIP *string `json:"podIP"`
	// Address of the node, null and frozen as podNodeName.
	PodHostIP *string `json:"podHostIP"`
	// Since when an obstacle that startDeadline limits keeps the Pod from running;
	// absent if there is none, and without a startDeadline. Kept when the attempt
	// ends.
	PendingSince *PendingSince `json:"pendingSince,omitempty"`
	// When the Pod was first seen ready; absent until then, and if no startAfter
	// waits for this role to be Ready.
	ReadyTime *metav1.Time `json:"readyTime,omitempty"`
	// How the attempt ended; written once.
	CompletionStatus *TaskAttemptCompletionStatus `json:"completionStatus"`
	// Other Tasks with which the next attempt begins; absent if it begins alone.
	Restart *TaskRestart `json:"restart,omitempty"`
	// Restart of other Tasks that this attempt waits for: its Pod is created with
	// their next attempts, as it had none when they failed; absent if it waits for
	// no restart.
	// +optional
	AwaitedRestart *AwaitedRestart `json:"awaitedRestart,omitempty"`
	// True while the attempt, which is pending, waits until the parallelism of the
	// role lets it have a Pod; absent otherwise.
	// +optional
	AwaitsTurn bool `json:"awaitsTurn,omitempty"`
}

// CompletionStatus describes how an attempt ended (contract 4).
type CompletionStatus struct {
	// 0 is success; negative codes come from the controller; positive codes are
	// exit codes or are configured.
	Code int32 `json:"code"`
	// Short identifier of the code.
	Phrase string `json:"phrase"`
	// Meaning of the code for retries.
	Type CompletionType `json:"type"`
	// Text for people, with two forms that programs read (contract 4.5).
	Diagnostics string `json:"diagnostics"`
	// Plugin that decided the code; absent if the controller did. If others
	// removed the Pod and stated why, it is Kubernetes, with the reason.
	Source *CompletionSource `json:"source,omitempty"`
	// How to avoid the failure, in the words of the rule or the plugin that judged
	// it; empty if it has none. At most 1 KiB.
	// +optional
	Remedy string `json:"remedy,omitempty"`
}

// SourceKubernetes is the source of the removal of a Pod that is preempted, evicted or otherwise disrupted. No plugin
// has this name.
const SourceKubernetes = "Kubernetes"

// CompletionSource is the plugin behind a completion status.
type CompletionSource struct {
	// Name of the plugin in the controller's configuration, or SourceKubernetes.
	Plugin string `json:"plugin"`
	// Version that the plugin reports; empty if it reports none.
	Version string `json:"version,omitempty"`
	// Rule of the plugin, in its own words; empty if it names none. For
	// Kubernetes, the reason of the Pod's condition DisruptionTarget.
	Rule string `json:"rule,omitempty"`
}

// FrameworkAttemptCompletionStatus describes how an attempt of the Framework ended, and names the Task that ended it.
type FrameworkAttemptCompletionStatus struct {
	CompletionStatus `json:",inline"`
	// Absent when no Task decided, such as after a stop.
	Trigger *CompletionTrigger `json:"trigger,omitempty"`
	// Retries that were left when the attempt ended, for the Task that ended it,
	// for its role, and for the Framework, in this order. Absent unless a
	// retryPolicy of one of them has more than maxRetryCount and
	// fancyRetryPolicy. A policy that takes no part in the decision is left out.
	// +optional
	// +kubebuilder:validation:MaxItems=3
	Retries []RetryVerdict `json:"retries,omitempty"`
}

// TaskAttemptCompletionStatus describes how an attempt of a Task ended, and what its Pod reported.
type TaskAttemptCompletionStatus struct {
	CompletionStatus `json:",inline"`
	// Absent unless the Pod succeeded or failed by itself.
	Pod *PodCompletionStatus `json:"pod,omitempty"`
	// Advice about the retry from the plugin that judged the failure; absent if it
	// gave none.
	Advice *RetryAdvice `json:"advice,omitempty"`
	// Containers that lacked memory, and what follows for later Pods; absent
	// unless retryPolicy.onOOM or a plugin raises memory, and another attempt may
	// follow.
	// +optional
	Memory []MemoryChange `json:"memory,omitempty"`
}

// CompletionType classifies a completion code.
type CompletionType struct {
	// Whether the code is a success or a failure.
	Name CompletionTypeName `json:"name"`
	// Refinements of a failure; null if a configured code has none.
	Attributes []CompletionTypeAttribute `json:"attributes"`
}

// CompletionTypeName is Succeeded or Failed.
type CompletionTypeName string

// The two ways to end.
const (
	// CompletionSucceeded: the attempt succeeded.
	CompletionSucceeded CompletionTypeName = "Succeeded"
	// CompletionFailed: the attempt failed.
	CompletionFailed CompletionTypeName = "Failed"
)

// CompletionTypeAttribute refines a failure; retry policies with fancyRetryPolicy use it.
type CompletionTypeAttribute string

const (
	// AttributeTransient: another attempt may well succeed.
	AttributeTransient CompletionTypeAttribute = "Transient"
	// AttributePermanent: another attempt would fail in the same way.
	AttributePermanent CompletionTypeAttribute = "Permanent"
	// AttributeConflict: the failure comes from competing for resources, so wait before another attempt.
	AttributeConflict CompletionTypeAttribute = "Conflict"
)

// PodCompletionStatus is what a Pod reported when it succeeded or failed.
type PodCompletionStatus struct {
	// Reason in the Pod's status, such as Evicted.
	Reason string `json:"reason,omitempty"`
	// Message in the Pod's status.
	Message string `json:"message,omitempty"`
	// Its containers, init containers first.
	Containers []ContainerCompletionStatus `json:"containers,omitempty"`
}

// ContainerCompletionStatus is what one container reported; init containers come first in their list.
// A container that did not terminate has its name and code 0.
type ContainerCompletionStatus struct {
	// Name of the container.
	Name string `json:"name"`
	// Reason that the kubelet gives, such as OOMKilled.
	Reason string `json:"reason,omitempty"`
	// Termination message of the container.
	Message string `json:"message,omitempty"`
	// Signal that ended the container, if the runtime reports it.
	Signal int32 `json:"signal,omitempty"`
	// Exit code of the container.
	Code int32 `json:"code"`
}

// CompletionTrigger is the Task whose completion completed the attempt.
type CompletionTrigger struct {
	// The decision in a sentence, for people.
	Message string `json:"message"`
	// Role of the Task.
	TaskRoleName string `json:"taskRoleName"`
	// Index of the Task.
	TaskIndex int32 `json:"taskIndex"`
	// Rule by which the Task decided: minFailedTaskCount, minSucceededTaskCount or
	// allCompleted; empty if a plugin decided, or an older version of the
	// controller.
	Rule string `json:"rule,omitempty"`
}
