package v1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Framework runs an application as TaskRoles of Tasks, each Task a Pod, with
// retry and completion policies, failure classification and live rescale.
//
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=frameworks,singular=framework,shortName=fw
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=`.status.gate`
// +kubebuilder:selectablefield:JSONPath=`.status.gates.revision`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.state`,description="Where the current attempt stands"
// +kubebuilder:printcolumn:name="Attempt",type=integer,JSONPath=`.status.attemptStatus.id`,description="Number of the current attempt, from 0"
// +kubebuilder:printcolumn:name="Running",type=integer,JSONPath=`.status.tasks.running`,description="Tasks whose Pod runs"
// +kubebuilder:printcolumn:name="Succeeded",type=integer,JSONPath=`.status.tasks.succeeded`,description="Tasks completed with success"
// +kubebuilder:printcolumn:name="Failed",type=integer,JSONPath=`.status.tasks.failed`,description="Tasks completed with failure, also those that were cut short"
// +kubebuilder:printcolumn:name="Total",type=integer,JSONPath=`.status.tasks.total`,description="Tasks of the current attempt"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="Time since the Framework was created"
// +kubebuilder:printcolumn:name="Code",type=integer,priority=1,JSONPath=`.status.attemptStatus.completionStatus.code`,description="How the current attempt ended: 0 is success"
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.attemptStatus.completionStatus.phrase`,description="Short name of the code"
// +kubebuilder:printcolumn:name="Suspended",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Suspended")].status`,description="True if nothing of it runs because it is suspended"
// +kubebuilder:printcolumn:name="Avoided",type=string,priority=1,JSONPath=`.status.avoidedNodes[*].name`,description="First of the nodes that new Pods avoid; empty if there is none"
// +kubebuilder:printcolumn:name="Waiting",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Waiting")].message`,description="What is in the way; empty if nothing is"
// +kubebuilder:printcolumn:name="CutShort",type=integer,JSONPath=`.status.tasks.cutShort`,description="Failed Tasks that were cut short when the attempt ended; empty if there are none"
// +kubebuilder:printcolumn:name="WaitingTasks",type=integer,priority=1,JSONPath=`.status.tasks.waiting`,description="Tasks that wait until the parallelism of their role lets them have a Pod; empty if there are none"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z0-9]{1,63}$')",message="must be 1 to 63 lower-case letters and digits, without '-' or '.', because Pods are named {framework}-{role}-{index}",fieldPath=".metadata.name"
// +kubebuilder:validation:XValidation:rule="!has(self.spec) || !has(self.spec.taskRoles) || self.spec.taskRoles.all(r, !has(r.startAfter) || r.startAfter.all(s, !has(s.framework) || s.framework != self.metadata.name))",message="a Framework cannot start after itself; take it out of startAfter",fieldPath=".spec.taskRoles"
type Framework struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What to run. Written by users only.
	Spec FrameworkSpec `json:"spec"`
	// Current state. Written by the controller only; null until the controller has
	// first seen the object.
	// +optional
	// +nullable
	Status *FrameworkStatus `json:"status,omitempty"`
}

// FrameworkList is a list of Frameworks.
//
// +kubebuilder:object:root=true
type FrameworkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Framework `json:"items"`
}

// MaxTasks is the maximum number of Tasks of all roles of a Framework. The status of many more cannot be stored,
// however it is compressed: it has random UIDs of each Task. The CRD has no rule for it: rules also apply to stored
// objects whose roles make no sense, and their status could then no longer report that.
const MaxTasks = 20_000

// FrameworkSpec is what a user asks for (contract 1.2).
// ---
// Its rule is here, as a rule on the field does not see the field added or removed. A stored spec that is not an
// object, from the time of another CRD, cannot get a status because of it; its users are informed by an event.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.managedBy) ? self.managedBy : "") == (has(oldSelf.managedBy) ? oldSelf.managedBy : "")`,message="managedBy may not change; for another controller, create a new Framework",fieldPath=".managedBy"
// +kubebuilder:validation:XValidation:rule="!has(self.volumes) || [has(self.taskRoles) ? self.taskRoles.map(r, r.name) : []].all(names, self.volumes.all(v, !has(v.role) || v.role in names))",message="a volume names a role that is not in taskRoles; correct its role, or take the volume out",fieldPath=".volumes"
// +kubebuilder:validation:XValidation:rule="!has(self.volumes) || !has(self.ssh) || self.volumes.all(v, v.mountPath != self.ssh.mountPath)",message="a volume has the mountPath of spec.ssh; change one of them",fieldPath=".volumes"
type FrameworkSpec struct {
	// Free text for people.
	// +optional
	// +nullable
	Description string `json:"description"`

	// Create holds the Framework before it runs, Start runs it, Stop ends it as
	// soon as possible. May go from Create to Start to Stop, or from Create to
	// Stop.
	// +kubebuilder:default=Start
	// +kubebuilder:validation:XValidation:rule="self == oldSelf || oldSelf == 'Create' || (oldSelf == 'Start' && self == 'Stop')",message="executionType may only change from Create to Start or Stop, and from Start to Stop; to run again, create a new Framework"
	// +optional
	ExecutionType ExecutionType `json:"executionType,omitempty"`

	// While true, nothing of the Framework runs: a running attempt ends with -250,
	// which no retry policy counts, and none begins. Once it is false again, or
	// absent, the next attempt begins at once. Completed Tasks and Frameworks stay
	// completed, and executionType Stop ends the Framework for good even while
	// suspended.
	// +optional
	Suspend *bool `json:"suspend,omitempty"`

	// Controller that runs the Framework, if it is another one, such as
	// kueue.x-k8s.io/multikueue; this controller then ignores it. When absent, or
	// frameworkcontroller.microsoft.com/frameworkcontroller, this controller runs
	// it. It cannot be changed.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/.+)?$`
	// +optional
	ManagedBy string `json:"managedBy,omitempty"`

	// Requests of the Pods to the cluster's scheduler, in a form that does not
	// depend on the scheduler.
	// +optional
	Scheduling *SchedulingSpec `json:"scheduling,omitempty"`

	// Names by which the Pods find each other. When present, even if empty, each
	// container gets the number of Tasks in its environment, in all as
	// FC_TASK_COUNT and of each role as FC_TASK_COUNT_{role}, and the rank of its
	// own Task as FC_TASK_RANK, from 0 and in the order of taskRoles. The values
	// are set when the Pod is created: a rescale changes them only for later
	// Pods.
	// +optional
	Network *NetworkSpec `json:"network,omitempty"`

	// A key pair of the Framework's own, with which its Pods reach each other by
	// ssh.
	// +optional
	SSH *SSHSpec `json:"ssh,omitempty"`

	// Volumes that are made for the Framework: for all of it, for each role or for
	// each Task. At most 20, with different names. Volumes may be added and
	// removed while it runs; Pods that are created later get the change.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.all(b, a.name == b.name || a.mountPath != b.mountPath || (has(a.role) && has(b.role) && a.role != b.role)))",message="two volumes of one role have the same mountPath; change one of them"
	// +optional
	Volumes []VolumeSpec `json:"volumes,omitempty"`

	// Whether a completed attempt of the whole Framework is followed by another.
	// +kubebuilder:default={}
	// +kubebuilder:validation:XValidation:rule="!has(self.restart)",message="restart is of use in taskRoles[].task.retryPolicy only: a retry of the Framework starts all of it again",fieldPath=".restart"
	// +kubebuilder:validation:XValidation:rule="!has(self.onOOM)",message="onOOM is of use in taskRoles[].task.retryPolicy only: memory is raised for the Task that lacked it",fieldPath=".onOOM"
	// +optional
	RetryPolicy RetryPolicySpec `json:"retryPolicy,omitempty"`

	// Seconds after its completion at which a Framework is deleted. When absent,
	// the frameworkCompletedRetainSec of the controller's configuration applies.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`

	// Seconds after completion at which the Framework is deleted, by its outcome.
	// Overrides ttlSecondsAfterFinished.
	// +optional
	TTLSecondsAfter *TTLSecondsAfterSpec `json:"ttlSecondsAfter,omitempty"`

	// Seconds for which the Framework may run, over all its attempts. After that,
	// its Pods are deleted gracefully, and it completes with -140, which is never
	// retried. Time counts while an attempt runs: from its first running Pod to
	// its end, so not while the Framework is suspended, or waits for a queue, for
	// nodes or for a retry. May be changed while it runs. When absent, there is
	// no limit.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty"`

	// Plugins of the controller's configuration that decide about this Framework.
	// If the list names plugins of a kind, only these plugins of the kind are
	// asked, in this order; otherwise all plugins of the kind are asked, in the
	// order of the configuration.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	// +optional
	Plugins []PluginUse `json:"plugins,omitempty"`

	// The roles of the application, at most 200, with different names. Roles may
	// be added and removed while it runs. All roles together may have 20000 Tasks.
	// A Framework without Tasks is idle, and completes only when it is stopped.
	// ---
	// The list of names is computed only once: the cost of a rule is limited, also
	// with the maximum number of roles. Detecting a cycle, even of only two roles,
	// would cost too much.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	// +kubebuilder:validation:XValidation:rule="[self.map(o, has(o.name), o.name)].all(names, self.all(r, !has(r.startAfter) || r.startAfter.all(s, !has(s.role) || s.role in names)))",message="startAfter names a role that is not in taskRoles; correct the name, or take it out of startAfter"
	// +optional
	TaskRoles []TaskRoleSpec `json:"taskRoles,omitempty"`
}

// TTLSecondsAfterSpec is how long a completed Framework is kept, by its outcome.
type TTLSecondsAfterSpec struct {
	// Seconds after success; 0 deletes at once. When absent,
	// ttlSecondsAfterFinished applies.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Succeeded *int32 `json:"succeeded,omitempty"`
	// Seconds after failure, which includes a stop; 0 deletes at once. When
	// absent, ttlSecondsAfterFinished applies.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Failed *int32 `json:"failed,omitempty"`
}

// PluginUse names a plugin of the controller's configuration, and the
// parameters for it.
type PluginUse struct {
	// Name that the configuration gives to the plugin.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// Leave the plugin out, rather than select it.
	// +optional
	Disabled bool `json:"disabled,omitempty"`
	// Parameters for the plugin, in addition to its parameters in the controller's
	// configuration; the plugin's documentation lists them. At most 64 KiB of
	// JSON, and 32 levels deep; beyond that, the plugin is not asked about the
	// Framework.
	// ---
	// The CRD does not look inside, and cannot count bytes. More keys than these
	// exceed the limit in any case.
	// +kubebuilder:validation:MaxProperties=10000
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// ExecutionType determines how far a Framework may go (contract 6).
//
// +kubebuilder:validation:Enum=Create;Start;Stop
type ExecutionType string

const (
	// ExecutionCreate: the object gets a status, but neither runs nor completes.
	ExecutionCreate ExecutionType = "Create"
	// ExecutionStart: the Framework runs. The empty string means the same.
	ExecutionStart ExecutionType = "Start"
	// ExecutionStop: the Framework completes with code -210 as soon as possible, and is never retried.
	ExecutionStop ExecutionType = "Stop"
)

// A role is a number of Tasks that differ only in their index, and in their
// item if the role has items.
//
// +kubebuilder:validation:XValidation:rule="!has(self.startAfter) || self.startAfter.all(s, !has(s.role) || s.role != self.name)",message="a role cannot start after itself; take it out of its startAfter",fieldPath=".startAfter"
type TaskRoleSpec struct {
	// Name of the role, unique in the Framework; part of the names of its Pods.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]{1,63}$`
	Name string `json:"name"`

	// Number of Tasks of the role, at most 10000; their indices are 0 to
	// taskNumber-1. May be changed while the Framework runs.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	// +optional
	TaskNumber int32 `json:"taskNumber"`

	// A value for each Task: the Task with index 0 gets the first one, and so on.
	// Each container gets it as FC_TASK_ITEM, and each key of an object as
	// FC_TASK_ITEM_{KEY}, in its environment and as placeholders. A taskNumber of
	// 1, the default, then stands for as many Tasks as there are values. The
	// values of an attempt are frozen when it begins: values that are appended
	// later become further Tasks, and any other change applies to the next
	// attempt. When absent, Tasks differ only in their index.
	// +optional
	Items *ItemsSpec `json:"items,omitempty"`

	// Maximum number of Tasks of the role that have a Pod at a time. Tasks begin
	// in the order of their indices; a retried Task whose delay is over precedes
	// Tasks that have not begun. The others wait in AttemptCreationPending. May be
	// changed at any time; after a decrease, existing Pods finish. A value above
	// taskNumber has no effect. When absent, all Tasks may run at once.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	// +optional
	Parallelism *int32 `json:"parallelism,omitempty"`

	// Number of failed or succeeded Tasks of this role at which the current
	// attempt of the whole Framework completes. If every Task of every role has
	// completed and no such number was reached, the attempt succeeds, even if
	// Tasks failed.
	// +kubebuilder:default={}
	// +optional
	FrameworkAttemptCompletionPolicy CompletionPolicySpec `json:"frameworkAttemptCompletionPolicy,omitempty"`

	// Roles, and other Frameworks of the namespace, that this one starts after, at
	// most 10, without a cycle. When empty, the role starts with the attempt. Its
	// Pods are created and scheduled together with the others, and the barrier in
	// them holds them back; only with Succeeded, and after another Framework, are
	// they created later.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:XValidation:rule="self.all(s, (!has(s.role) || self.exists_one(o, has(o.role) && o.role == s.role)) && (!has(s.framework) || self.exists_one(o, has(o.framework) && o.framework == s.framework)))",message="names a role or a Framework twice; keep one of the entries"
	// +optional
	StartAfter []StartAfterSpec `json:"startAfter,omitempty"`

	// Whether the whole role restarts when one of its Tasks has failed and has
	// used up its own retries. When absent, it does not.
	// +optional
	RetryPolicy *RoleRetryPolicySpec `json:"retryPolicy,omitempty"`

	// Template of each Task of the role.
	// +kubebuilder:default={}
	// +optional
	Task TaskSpec `json:"task,omitempty"`
}

// CompletionPolicySpec says when the Tasks of one role complete the attempt (contract 3.2). A threshold of 0
// or -1 is disabled. When every Task of every role has completed and no threshold was reached, the attempt
// completes as succeeded, even if Tasks failed.
type CompletionPolicySpec struct {
	// The attempt fails once this many Tasks of the role have failed for good. 0
	// and -1 disable it. A number above taskNumber is never reached.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	MinFailedTaskCount int32 `json:"minFailedTaskCount"`

	// The attempt succeeds once this many Tasks of the role have succeeded. 0 and
	// -1 disable it. A number above taskNumber is never reached.
	// +kubebuilder:default=-1
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	MinSucceededTaskCount int32 `json:"minSucceededTaskCount"`
}

// RetryPolicySpec determines whether a completed attempt, of a Task or of the Framework, is followed by another
// (contract 3.1).
type RetryPolicySpec struct {
	// Whether the type of the failure decides first: transient failures are
	// retried without being counted, and permanent ones are never retried.
	// +kubebuilder:default=false
	// +optional
	FancyRetryPolicy bool `json:"fancyRetryPolicy"`

	// -2 always retries, even after success, as services need; -1 retries every
	// failure; 0 never retries; n retries a failure at most n times.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=-2
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	MaxRetryCount int32 `json:"maxRetryCount"`

	// Delay before a retry, doubled with each retry. When absent, retries are
	// immediate. With fancyRetryPolicy, a Framework whose attempt failed in a
	// conflict over resources waits for a random time instead, within limits set
	// in the controller's configuration; a Task does not.
	// ---
	// The random delay is row R1 of contract 3.1.
	// +optional
	Backoff *RetryBackoffSpec `json:"backoff,omitempty"`

	// Limit on the number of failures that count within a period, in addition to
	// maxRetryCount. When absent, no such limit applies.
	// +optional
	Window *RetryWindowSpec `json:"window,omitempty"`

	// Retries reserved for single causes. The first budget that matches a failure
	// decides about it, in place of maxRetryCount and window. A budget does not
	// apply to failures that are never retried.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +optional
	Budgets []RetryBudgetSpec `json:"budgets,omitempty"`

	// Which Tasks restart together when a Task of this role fails and is retried:
	// only that Task (the default), all Tasks of its role, or all Tasks of the
	// Framework. The attempts of Tasks that have not failed end with -240, which
	// no policy counts. Only for Tasks.
	// +optional
	Restart RestartScope `json:"restart,omitempty"`

	// Nodes on which Pods fail are avoided by later Pods: of the same role if set
	// in a role, of all roles if set in the Framework's policy. When absent, nodes
	// are avoided only if plugins ask for it.
	// +optional
	AvoidNodes *AvoidNodesSpec `json:"avoidNodes,omitempty"`

	// Containers that ran out of memory get more of it in the next Pod of their
	// Task. While that is possible, such a failure is retried as one of unknown
	// type, whatever the type of its code. Only for Tasks. When absent, memory is
	// raised only if a plugin asks for it.
	// +optional
	OnOOM *OnOOMSpec `json:"onOOM,omitempty"`
}

// RetryBackoffSpec is a delay that doubles with each retry.
type RetryBackoffSpec struct {
	// Seconds before the first retry; 0 means no delay.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	// +optional
	InitialDelaySec int32 `json:"initialDelaySec"`

	// Maximum delay in seconds; doubling ends there. The first delay is never
	// reduced: if initialDelaySec is longer, all delays equal it.
	// +kubebuilder:default=300
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	// +optional
	MaxDelaySec int32 `json:"maxDelaySec"`
}

// TaskSpec describes one Task.
type TaskSpec struct {
	// Whether a completed attempt of the Task is followed by another.
	// +kubebuilder:default={}
	// +optional
	RetryPolicy RetryPolicySpec `json:"retryPolicy,omitempty"`

	// Seconds for which an attempt of the Task may run, from the time when its Pod
	// was first seen running. After that, its Pod is deleted gracefully, the
	// attempt ends with -141, and the retry policy decides. When absent, there is
	// no limit.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty"`

	// How long a Pod may take to run before its attempt fails. When absent, there
	// is no limit.
	// +optional
	StartDeadline *StartDeadlineSpec `json:"startDeadline,omitempty"`

	// Seconds that a Pod may take to terminate before it is deleted by force. Null
	// waits forever, which suits stateful Tasks: two Pods of one Task then never
	// run at the same time. A number gives up that guarantee for Pods on
	// unreachable nodes.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9000000000
	// +optional
	// +nullable
	PodGracefulDeletionTimeoutSec *int64 `json:"podGracefulDeletionTimeoutSec"`

	// Names of the containers of the template that do the Task's work. Once all of
	// them have ended, the Pod counts as ended, whatever else runs in it: the
	// attempt succeeds if all exited with 0; otherwise it fails, classified by how
	// these containers ended. The Pod is deleted. Needs restartPolicy Never. When
	// absent, a Pod ends when all its containers have ended.
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +listType=atomic
	// +optional
	CompletionContainers []string `json:"completionContainers,omitempty"`

	// The parts of the logs of the Task's Pods that the history keeps. They can
	// only be fewer than the operator lets the history keep. When absent, the
	// operator alone decides.
	// +optional
	Logs *TaskLogsSpec `json:"logs,omitempty"`

	// Template of the Task's Pods: metadata and spec, as in the template of a
	// Deployment. These placeholders are replaced in any text in it:
	// {{FC_FRAMEWORK_NAMESPACE}}, {{FC_FRAMEWORK_NAME}}, {{FC_TASKROLE_NAME}},
	// {{FC_TASK_INDEX}}, {{FC_CONFIGMAP_NAME}} and {{FC_POD_NAME}}.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Pod PodTemplate `json:"pod,omitempty"`
}

// TaskLogsSpec narrows what the history keeps of the logs of Pods.
type TaskLogsSpec struct {
	// Whether anything is kept. With None, no Pod is kept for the sake of its
	// logs. When absent, Keep.
	// +optional
	Policy LogPolicy `json:"policy,omitempty"`

	// Bytes to keep of the beginning of each container's log. When absent, the
	// operator decides.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1073741824
	// +optional
	HeadBytes *int64 `json:"headBytes,omitempty"`

	// Bytes to keep of the end of each container's log. When absent, the operator
	// decides.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1073741824
	// +optional
	TailBytes *int64 `json:"tailBytes,omitempty"`

	// Names of the containers whose logs are kept. When absent, the logs of all
	// containers are.
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +listType=atomic
	// +optional
	Containers []string `json:"containers,omitempty"`
}

// LogPolicy determines whether logs are kept. The empty string means Keep.
//
// +kubebuilder:validation:Enum=Keep;None
type LogPolicy string

const (
	// LogKeep: what the other fields, and the operator, leave of the logs is kept.
	LogKeep LogPolicy = "Keep"
	// LogNone: no logs are kept.
	LogNone LogPolicy = "None"
)
