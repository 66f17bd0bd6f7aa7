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
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z0-9]{1,63}$')",message="must be 1 to 63 lower-case letters and digits, without '-' or '.', because Pods are named {framework}-{role}-{index}",fieldPath=".metadata.name"
type Framework struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What to run. Written by users only.
	Spec FrameworkSpec `json:"spec"`
	// What is going on. Written by the controller only; null until it has first
	// seen the object.
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

// MaxTasks is how many Tasks all roles of a Framework may have together. There
// is no room to store the status of many more, however it is compressed: of
// each Task it has UIDs that are random. The CRD has no rule for it: rules are
// also applied to stored objects whose roles make no sense, and no status could
// tell of that any more.
const MaxTasks = 20_000

// FrameworkSpec is what a user asks for (contract 1.2).
//
// Its rule is here, as one on the field would not see that the field is added or taken out. A spec that is no object at all, from
// the time of another CRD, takes no status because of it; its users are told by an event.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.managedBy) ? self.managedBy : "") == (has(oldSelf.managedBy) ? oldSelf.managedBy : "")`,message="managedBy may not change; for another controller, create a new Framework",fieldPath=".managedBy"
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

	// While true, nothing of the Framework runs: an attempt that runs ends with
	// -250, which no retry policy counts, and none begins. Once it is false again,
	// or absent, the next attempt begins at once. What has completed stays
	// completed, and executionType Stop ends it for good also while suspended.
	// +optional
	Suspend *bool `json:"suspend,omitempty"`

	// Controller that runs the Framework, if it is another one, such as
	// kueue.x-k8s.io/multikueue; this one leaves it alone then. When absent, or
	// frameworkcontroller.microsoft.com/frameworkcontroller, it is this one. It
	// cannot be changed.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/.+)?$`
	// +optional
	ManagedBy string `json:"managedBy,omitempty"`

	// What the Pods need of the cluster's scheduler, whichever that is.
	// +optional
	Scheduling *SchedulingSpec `json:"scheduling,omitempty"`

	// Names by which the Pods find each other. When present, even if empty, each
	// container is told in its environment how many Tasks there are: FC_TASK_COUNT
	// in all, FC_TASK_COUNT_{role} of each role; and which of all its own is,
	// FC_TASK_RANK, from 0 and in the order of taskRoles. That is as of when the
	// Pod is created: a rescale changes it for later ones only.
	// +optional
	Network *NetworkSpec `json:"network,omitempty"`

	// A key pair of the Framework's own, by which its Pods reach each other with
	// ssh.
	// +optional
	SSH *SSHSpec `json:"ssh,omitempty"`

	// Whether a completed attempt of the whole Framework is followed by another.
	// +kubebuilder:default={}
	// +kubebuilder:validation:XValidation:rule="!has(self.restart)",message="restart is of use in taskRoles[].task.retryPolicy only: a retry of the Framework starts all of it again",fieldPath=".restart"
	// +optional
	RetryPolicy RetryPolicySpec `json:"retryPolicy,omitempty"`

	// Seconds after which a completed Framework is deleted, counted from its
	// completion. When absent, the frameworkCompletedRetainSec of the controller's
	// configuration applies.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`

	// Plugins of the controller's configuration that decide about this Framework.
	// If it names any of a kind, only those of that kind are asked, in this order;
	// otherwise all of that kind, in the order of the configuration.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=20
	// +optional
	Plugins []PluginUse `json:"plugins,omitempty"`

	// The roles of the application, at most 200, with different names. Roles may
	// be added and removed while it runs. A Framework without Tasks idles: it
	// runs, and completes only when stopped. All together may have 20000 Tasks.
	// ---
	// The list of names is made once for all: what a rule costs is limited, and so it is with the most roles that can be. To
	// see a circle, of only two even, would cost too much.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	// +kubebuilder:validation:XValidation:rule="[self.map(o, has(o.name), o.name)].all(names, self.all(r, !has(r.startAfter) || r.startAfter.all(s, s.role in names)))",message="startAfter names a role that is not in taskRoles; correct the name, or take it out of startAfter"
	// +optional
	TaskRoles []TaskRoleSpec `json:"taskRoles,omitempty"`
}

// PluginUse names a plugin of the controller's configuration, and what to tell
// it.
type PluginUse struct {
	// Name that the configuration gives to the plugin.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// Leave the plugin out, rather than choose it.
	// +optional
	Disabled bool `json:"disabled,omitempty"`
	// What the plugin is told beside the configuration's own parameters; its own
	// documentation says what it knows. At most 64 KiB of JSON, and 32 levels
	// deep; with more, the plugin is not asked about the Framework.
	// ---
	// The CRD does not look inside, and cannot count bytes. More keys than these
	// have more bytes than that in any case.
	// +kubebuilder:validation:MaxProperties=10000
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// ExecutionType is a user's wish for how far a Framework may go (contract 6).
//
// +kubebuilder:validation:Enum=Create;Start;Stop
type ExecutionType string

const (
	// ExecutionCreate: the object gets a status, and neither runs nor completes.
	ExecutionCreate ExecutionType = "Create"
	// ExecutionStart: the Framework runs. The empty string means the same.
	ExecutionStart ExecutionType = "Start"
	// ExecutionStop: the Framework completes with code -210 as soon as possible, and is never retried.
	ExecutionStop ExecutionType = "Stop"
)

// A role is a number of Tasks that differ in their index only.
//
// +kubebuilder:validation:XValidation:rule="!has(self.startAfter) || self.startAfter.all(s, s.role != self.name)",message="a role cannot start after itself; take it out of its startAfter",fieldPath=".startAfter"
type TaskRoleSpec struct {
	// Name of the role, unique in the Framework; part of the names of its Pods.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]{1,63}$`
	Name string `json:"name"`

	// How many Tasks the role has, at most 10000; their indices are 0 to
	// taskNumber-1. May be changed while it runs.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	// +optional
	TaskNumber int32 `json:"taskNumber"`

	// How many failed or succeeded Tasks of this role complete the current attempt
	// of the whole Framework. When every Task of every role has completed and no
	// such number was reached, the attempt succeeds, even if Tasks failed.
	// +kubebuilder:default={}
	// +optional
	FrameworkAttemptCompletionPolicy CompletionPolicySpec `json:"frameworkAttemptCompletionPolicy,omitempty"`

	// Roles that this one starts after, at most 10; their order must have no
	// circle. When empty, it starts with the attempt. Its Pods are created and
	// scheduled together with the others in any case, and the barrier in them
	// holds them back; only after Succeeded are they created later.
	// +listType=map
	// +listMapKey=role
	// +kubebuilder:validation:MaxItems=10
	// +optional
	StartAfter []StartAfterSpec `json:"startAfter,omitempty"`

	// Whether the whole role starts again when one of its Tasks has failed and has
	// used up its own retries. When absent, it does not.
	// +optional
	RetryPolicy *RoleRetryPolicySpec `json:"retryPolicy,omitempty"`

	// What each Task of the role is.
	// +kubebuilder:default={}
	// +optional
	Task TaskSpec `json:"task,omitempty"`
}

// What another role has to have reached before this one starts.
type StartAfterSpec struct {
	// Name of the other role.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]{1,63}$`
	Role string `json:"role"`

	// What each Task of the other role has to have reached in this attempt: an
	// address, a Pod that runs, a Pod that is ready, or success.
	// +kubebuilder:default=Running
	// +optional
	When StartWhen `json:"when,omitempty"`
}

// StartWhen is what a Task has reached. The empty string means Running.
//
// +kubebuilder:validation:Enum=Addressed;Running;Ready;Succeeded
type StartWhen string

const (
	// StartAddressed: the Task has an address, as for the barrier.
	StartAddressed StartWhen = "Addressed"
	// StartRunning: its Pod runs, or the Task has completed.
	StartRunning StartWhen = "Running"
	// StartReady: its Pod runs and has been ready, or the Task has completed.
	StartReady StartWhen = "Ready"
	// StartSucceeded: the Task has completed with success. Pods of the role that waits for it are not created before.
	StartSucceeded StartWhen = "Succeeded"
)

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

// RetryPolicySpec says whether a completed attempt, of a Task or of the Framework, is followed by another
// (contract 3.1).
type RetryPolicySpec struct {
	// Whether the kind of failure decides first: transient failures are retried
	// without being counted, and permanent ones never.
	// +kubebuilder:default=false
	// +optional
	FancyRetryPolicy bool `json:"fancyRetryPolicy"`

	// -2 retries always, even after success, as services want; -1 retries every
	// failure; 0 never retries; n retries a failure at most n times.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=-2
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	MaxRetryCount int32 `json:"maxRetryCount"`

	// Waiting time before a retry, doubled with each retry. When absent, retries
	// are immediate. With fancyRetryPolicy, a Framework whose attempt failed in a
	// conflict over resources waits for a random time instead, as the controller's
	// configuration says; a Task does not.
	// ---
	// That one is row R1 of contract 3.1.
	// +optional
	Backoff *RetryBackoffSpec `json:"backoff,omitempty"`

	// How many failures that count there may be in a time, beside maxRetryCount.
	// When absent, time does not matter.
	// +optional
	Window *RetryWindowSpec `json:"window,omitempty"`

	// Retries that single causes have for themselves. The first budget that fits a
	// failure decides on it, in place of maxRetryCount and window; those of a
	// kind that is not retried at all stay what they are.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +optional
	Budgets []RetryBudgetSpec `json:"budgets,omitempty"`

	// Which Tasks start again together when a Task of this role fails and is
	// retried: the Task alone, which is the default, all of its role, or all of
	// the Framework. The attempts of those that have not failed end with -240,
	// which no policy counts. Only for Tasks.
	// +optional
	Restart RestartScope `json:"restart,omitempty"`

	// Nodes on which Pods fail are avoided by later ones: in a role those of the
	// role, in the Framework's policy those of all roles. When absent, only
	// plugins say so.
	// +optional
	AvoidNodes *AvoidNodesSpec `json:"avoidNodes,omitempty"`
}

// RetryBackoffSpec is a waiting time that doubles with each retry.
type RetryBackoffSpec struct {
	// Seconds before the first retry; 0 does not wait.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	// +optional
	InitialDelaySec int32 `json:"initialDelaySec"`

	// Longest waiting time in seconds; doubling ends there. The first delay is
	// never cut: if initialDelaySec is longer, all delays are as long as that.
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

	// How long a Pod may not get to run until its attempt fails. When absent, it
	// may take for ever.
	// +optional
	StartDeadline *StartDeadlineSpec `json:"startDeadline,omitempty"`

	// Seconds that a Pod may take to terminate before it is deleted by force. Null
	// waits for ever, which suits stateful Tasks: two Pods of one Task then never
	// run at the same time. A number gives that up for Pods on unreachable nodes.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9000000000
	// +optional
	// +nullable
	PodGracefulDeletionTimeoutSec *int64 `json:"podGracefulDeletionTimeoutSec"`

	// Names of the containers of the template that do the Task's work. Once all of
	// them have ended, the Pod counts as ended, whatever else runs in it: the
	// attempt succeeds if all exited with 0, otherwise it failed as these
	// containers did, and the Pod is deleted. Needs restartPolicy Never. When
	// absent, a Pod ends when all its containers have ended.
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	// +listType=atomic
	// +optional
	CompletionContainers []string `json:"completionContainers,omitempty"`

	// Template of the Task's Pods: metadata and spec, as in the template of a
	// Deployment. In any text in it, these are replaced:
	// {{FC_FRAMEWORK_NAMESPACE}}, {{FC_FRAMEWORK_NAME}}, {{FC_TASKROLE_NAME}},
	// {{FC_TASK_INDEX}}, {{FC_CONFIGMAP_NAME}} and {{FC_POD_NAME}}.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Pod PodTemplate `json:"pod,omitempty"`
}
