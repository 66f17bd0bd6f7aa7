package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// StartDeadlineSpec says for how long a Pod may not get to run. Each number is about another thing that keeps it, and
// counts the time without a break in which that did. Time does not count while scheduling gates hold the Pod, and while
// one of its init containers runs, such as a barrier. A number that is absent, or 0, sets no limit.
type StartDeadlineSpec struct {
	// Seconds for which no node may be found for the Pod. After that its attempt
	// ends with -130.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	UnscheduledSec int32 `json:"unscheduledSec,omitempty"`

	// Seconds for which an image may fail to be pulled. After that the attempt
	// ends with -131.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ImagePullSec int32 `json:"imagePullSec,omitempty"`

	// Seconds for which a container may fail to be created, as a Secret or a
	// command that it needs is not there. After that the attempt ends with -132.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ContainerCreateSec int32 `json:"containerCreateSec,omitempty"`

	// Seconds for which a Pod that has a node may not start to run, whatever the
	// reason. After that the attempt ends with -133.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	NotRunningSec int32 `json:"notRunningSec,omitempty"`
}

// PendingSince says since when a Pod is kept from running, for each kind of thing that keeps it as StartDeadlineSpec has
// them. It is when the controller first saw it, by the controller's clock; null if it does not keep the Pod now.
type PendingSince struct {
	// No node is found.
	Unscheduled *metav1.Time `json:"unscheduled,omitempty"`
	// An image is not pulled.
	ImagePull *metav1.Time `json:"imagePull,omitempty"`
	// A container is not created.
	ContainerCreate *metav1.Time `json:"containerCreate,omitempty"`
	// The Pod has a node, and does not run.
	NotRunning *metav1.Time `json:"notRunning,omitempty"`
}

// RestartScope says which Tasks start again together.
//
// +kubebuilder:validation:Enum=Task;Role;Framework
type RestartScope string

const (
	// RestartTask: the Task that has failed does. The empty string means the same.
	RestartTask RestartScope = "Task"
	// RestartRole: all Tasks of its role do that have not completed.
	RestartRole RestartScope = "Role"
	// RestartFramework: all Tasks of the Framework do that have not completed.
	RestartFramework RestartScope = "Framework"
)

// TaskRestart says with which others a Task starts again.
type TaskRestart struct {
	// All Tasks of its role or of the Framework that have not completed.
	Scope RestartScope `json:"scope"`
	// Task whose failure is the reason.
	TaskRoleName string `json:"taskRoleName"`
	TaskIndex    int32  `json:"taskIndex"`
	// The role of that Task starts again by its own retryPolicy, which counts it;
	// absent if the Task has a retry of its own.
	// +optional
	ByRole bool `json:"byRole,omitempty"`
}

// AwaitedRestart is a restart of other Tasks that a Task without a Pod waits for.
type AwaitedRestart struct {
	TaskRestart `json:",inline"`
	// The API server was asked, and no Pod of the attempt exists; absent until then.
	// +optional
	NoPod bool `json:"noPod,omitempty"`
}

// RoleRetryPolicySpec says how often a role starts again as a whole before its Tasks fail for good.
type RoleRetryPolicySpec struct {
	// -1 starts the role again always, 0 never, n at most n times in an attempt of
	// the Framework. All its Tasks that have not completed begin together, and
	// keep their own counts. A failure that is not retried at all starts nothing.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	MaxRetryCount int32 `json:"maxRetryCount"`
}

// RetryWindowSpec is a budget of failures in time.
type RetryWindowSpec struct {
	// How many failures that count there may be within the time; one more is not
	// retried.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Failures int32 `json:"failures"`

	// Length of that time in seconds.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	WithinSec int32 `json:"withinSec"`
}

// RetryBudgetSpec gives failures of one cause retries of their own. It names
// the cause in exactly one way.
//
// +kubebuilder:validation:XValidation:rule="[has(self.code), has(self.phrase), has(self.attribute)].exists_one(b, b)",message="must have exactly one of code, phrase and attribute"
type RetryBudgetSpec struct {
	// Code of the failure.
	// +kubebuilder:validation:Minimum=-2147483648
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	Code *int32 `json:"code,omitempty"`
	// Phrase of the failure's code.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Phrase string `json:"phrase,omitempty"`
	// Attribute of the failure's type, such as Transient.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Attribute CompletionTypeAttribute `json:"attribute,omitempty"`
	// As in the policy: -1 retries always, 0 never, n at most n times. These
	// retries do not count against the policy's own number.
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	MaxRetryCount int32 `json:"maxRetryCount"`
}

// AvoidNodesSpec has new Pods avoid the nodes on which others have failed.
type AvoidNodesSpec struct {
	// Prefer takes such a node if there is no other. Require does not, unless the
	// scheduler says that nothing fits: then it is as Prefer, so that no Pod waits
	// for ever because of it.
	// +kubebuilder:default=Prefer
	// +optional
	Mode AvoidMode `json:"mode,omitempty"`

	// Seconds for which a node is avoided, from the failure on.
	// +kubebuilder:default=3600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ForSec int32 `json:"forSec,omitempty"`

	// How many nodes are avoided at a time; the one whose time is over first makes
	// room for another.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MaxNodes int32 `json:"maxNodes,omitempty"`
}

// AvoidMode says how a node is avoided.
//
// +kubebuilder:validation:Enum=Prefer;Require
type AvoidMode string

const (
	// AvoidPrefer: other nodes are preferred.
	AvoidPrefer AvoidMode = "Prefer"
	// AvoidRequire: Pods do not go there.
	AvoidRequire AvoidMode = "Require"
)

// MaxAvoidedNodes is how many nodes a Framework avoids at a time.
const MaxAvoidedNodes = 100

// MaxAdvisedSeconds is for how long a plugin may have a node avoided.
const MaxAdvisedSeconds = 7 * 24 * 60 * 60

// AvoidedNode is a node that new Pods of the Framework avoid.
type AvoidedNode struct {
	// Name of the node.
	Name string `json:"name"`
	// Until when it is avoided.
	Until metav1.Time `json:"until"`
	// Mode in which it is avoided.
	Mode AvoidMode `json:"mode"`
	// Whether nothing else fitted while it was avoided with Require. Then it is
	// with Prefer until its time is over, also if Pods fail there again.
	Relaxed bool `json:"relaxed,omitempty"`
	// Role whose Pods avoid it; empty if all of the Framework do.
	Role string `json:"role,omitempty"`
	// Code of the last failure because of which it is avoided.
	// +kubebuilder:validation:Minimum=-2147483648
	// +kubebuilder:validation:Maximum=2147483647
	Code int32 `json:"code"`
	// Phrase of the code.
	Phrase string `json:"phrase"`
	// Role of the Task that has failed there so.
	TaskRoleName string `json:"taskRoleName"`
	// Index of the Task.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	TaskIndex int32 `json:"taskIndex"`
	// Who wants it to be avoided; absent if that is retryPolicy.avoidNodes.
	Source *CompletionSource `json:"source,omitempty"`
	// Why, in the plugin's words; empty if it does not say.
	Reason string `json:"reason,omitempty"`
}

// MaxEarlierAttempts is how many earlier attempts of a Task are kept in its status.
const MaxEarlierAttempts = 8

// EarlierTaskAttempt is what is kept of an attempt of a Task that was followed by another.
type EarlierTaskAttempt struct {
	// Number of the attempt.
	ID int32 `json:"id"`
	// How it ended.
	Code   int32          `json:"code"`
	Phrase string         `json:"phrase"`
	Type   CompletionType `json:"type"`
	// Node of its Pod; empty if it never had one.
	Node string `json:"node,omitempty"`
	// When it became pending, first ran (null if it never did), and completed.
	StartTime      metav1.Time  `json:"startTime"`
	RunTime        *metav1.Time `json:"runTime"`
	CompletionTime metav1.Time  `json:"completionTime"`
}

// RetryBudgetStatus counts the retries of one cause.
type RetryBudgetStatus struct {
	// Cause as its budget names it: code=137, phrase=OutOfDisk or
	// attribute=Conflict.
	Cause string `json:"cause"`
	// Retries that counted against the budget.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	RetriedCount int32 `json:"retriedCount"`
}

// RetryAdvice is what a plugin that has judged a failure says about the retry. What it does not say is for the policy.
type RetryAdvice struct {
	// Which Tasks start again together; empty if it does not say.
	Restart RestartScope `json:"restart,omitempty"`
	// Seconds before the retry; nil if it does not say.
	DelaySec *int32 `json:"delaySec,omitempty"`
	// The attempt of the Framework ends with this failure.
	GiveUpAttempt bool `json:"giveUpAttempt,omitempty"`
}
