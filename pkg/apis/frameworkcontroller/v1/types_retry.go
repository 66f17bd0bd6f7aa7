package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// StartDeadlineSpec limits how long a Pod may take to run. Each limit covers one obstacle, and counts how long that
// obstacle has lasted without a break. Time does not count while scheduling gates hold the Pod, or while one of its
// init containers runs, such as a barrier. A limit that is absent or 0 does not apply.
type StartDeadlineSpec struct {
	// Seconds that the Pod may stay without a node. After that, its attempt ends
	// with -130.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	UnscheduledSec int32 `json:"unscheduledSec,omitempty"`

	// Seconds for which an image may fail to be pulled. After that, the attempt
	// ends with -131.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ImagePullSec int32 `json:"imagePullSec,omitempty"`

	// Seconds for which a container may fail to be created, for example because a
	// Secret or a command that it needs does not exist. After that, the attempt
	// ends with -132.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ContainerCreateSec int32 `json:"containerCreateSec,omitempty"`

	// Seconds that a Pod with a node may take to run, whatever the reason. After
	// that, the attempt ends with -133.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	NotRunningSec int32 `json:"notRunningSec,omitempty"`
}

// PendingSince records since when each obstacle of StartDeadlineSpec has kept a Pod from running: the time at which the
// controller first saw it, by the controller's clock; null if the obstacle is not there now.
type PendingSince struct {
	// The Pod has no node.
	Unscheduled *metav1.Time `json:"unscheduled,omitempty"`
	// An image cannot be pulled.
	ImagePull *metav1.Time `json:"imagePull,omitempty"`
	// A container cannot be created.
	ContainerCreate *metav1.Time `json:"containerCreate,omitempty"`
	// The Pod has a node, but does not run.
	NotRunning *metav1.Time `json:"notRunning,omitempty"`
}

// RestartScope determines which Tasks restart together.
//
// +kubebuilder:validation:Enum=Task;Role;Framework
type RestartScope string

const (
	// RestartTask: only the failed Task restarts. The empty string means the same.
	RestartTask RestartScope = "Task"
	// RestartRole: all Tasks of its role that have not completed restart.
	RestartRole RestartScope = "Role"
	// RestartFramework: all Tasks of the Framework that have not completed
	// restart.
	RestartFramework RestartScope = "Framework"
)

// TaskRestart describes the restart of a Task together with others.
type TaskRestart struct {
	// Role or Framework: its Tasks that have not completed restart.
	Scope RestartScope `json:"scope"`
	// Role of the Task whose failure caused the restart.
	TaskRoleName string `json:"taskRoleName"`
	// Index of that Task.
	TaskIndex int32 `json:"taskIndex"`
	// True if the role of that Task restarts by its own retryPolicy, which counts
	// the restart; absent if the Task was retried by its own policy.
	// +optional
	ByRole bool `json:"byRole,omitempty"`
}

// AwaitedRestart is a restart of other Tasks that a Task without a Pod waits for.
type AwaitedRestart struct {
	TaskRestart `json:",inline"`
	// The API server confirmed that no Pod of the attempt exists; absent until
	// then.
	// +optional
	NoPod bool `json:"noPod,omitempty"`
}

// RoleRetryPolicySpec limits how often a role restarts as a whole before its Tasks fail for good.
type RoleRetryPolicySpec struct {
	// -1 always restarts the role, 0 never does, n does at most n times in an
	// attempt of the Framework. All its Tasks that have not completed restart
	// together, and keep their own counts. A failure that is never retried
	// restarts nothing.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	MaxRetryCount int32 `json:"maxRetryCount"`
}

// RetryWindowSpec limits the number of failures in a period of time.
type RetryWindowSpec struct {
	// Number of failures that count and are retried within the period; one more is
	// not retried.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Failures int32 `json:"failures"`

	// Length of the period in seconds.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	WithinSec int32 `json:"withinSec"`
}

// RetryBudgetSpec reserves retries for failures of one cause. It names the
// cause in exactly one way.
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
	// As in the policy: -1 always retries, 0 never does, n retries at most n
	// times. These retries do not count against the policy's maxRetryCount.
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=2147483647
	MaxRetryCount int32 `json:"maxRetryCount"`
}

// AvoidNodesSpec makes new Pods avoid nodes on which others have failed.
type AvoidNodesSpec struct {
	// Prefer uses such a node if there is no other. Require does not, unless the
	// scheduler reports that nothing fits; then Require becomes Prefer, so that no
	// Pod waits forever.
	// +kubebuilder:default=Prefer
	// +optional
	Mode AvoidMode `json:"mode,omitempty"`

	// Seconds for which a node is avoided after the failure.
	// +kubebuilder:default=3600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	ForSec int32 `json:"forSec,omitempty"`

	// Maximum number of nodes avoided at a time. If there are more, the one that
	// expires first is dropped.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MaxNodes int32 `json:"maxNodes,omitempty"`
}

// AvoidMode determines how a node is avoided.
//
// +kubebuilder:validation:Enum=Prefer;Require
type AvoidMode string

const (
	// AvoidPrefer: other nodes are preferred.
	AvoidPrefer AvoidMode = "Prefer"
	// AvoidRequire: Pods are not placed there.
	AvoidRequire AvoidMode = "Require"
)

// MaxAvoidedNodes is the maximum number of nodes that a Framework avoids at a time.
const MaxAvoidedNodes = 100

// MaxAdvisedSeconds is the longest time for which a plugin may have a node avoided.
const MaxAdvisedSeconds = 7 * 24 * 60 * 60

// AvoidedNode is a node that new Pods of the Framework avoid.
type AvoidedNode struct {
	// Name of the node.
	Name string `json:"name"`
	// Time until which it is avoided.
	Until metav1.Time `json:"until"`
	// Mode in which it is avoided.
	Mode AvoidMode `json:"mode"`
	// True if nothing else fitted while it was avoided with Require. It is then
	// avoided with Prefer until it expires, even if Pods fail there again.
	Relaxed bool `json:"relaxed,omitempty"`
	// Role whose Pods avoid it; empty if all Pods of the Framework do.
	Role string `json:"role,omitempty"`
	// Code of the last failure for which it is avoided.
	// +kubebuilder:validation:Minimum=-2147483648
	// +kubebuilder:validation:Maximum=2147483647
	Code int32 `json:"code"`
	// Phrase of the code.
	Phrase string `json:"phrase"`
	// Role of the Task that failed there.
	TaskRoleName string `json:"taskRoleName"`
	// Index of the Task.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	TaskIndex int32 `json:"taskIndex"`
	// Plugin that asked to avoid it; absent if it was retryPolicy.avoidNodes.
	Source *CompletionSource `json:"source,omitempty"`
	// Reason in the plugin's words; empty if it gives none.
	Reason string `json:"reason,omitempty"`
}

// MaxEarlierAttempts is the number of earlier attempts of a Task that its status keeps.
const MaxEarlierAttempts = 8

// EarlierTaskAttempt is the record of a Task attempt that was followed by another.
type EarlierTaskAttempt struct {
	// Number of the attempt.
	ID int32 `json:"id"`
	// Code with which it ended.
	Code int32 `json:"code"`
	// Phrase of the code.
	Phrase string `json:"phrase"`
	// Type of the code.
	Type CompletionType `json:"type"`
	// Node of its Pod; empty if it never had one.
	Node string `json:"node,omitempty"`
	// When it became pending.
	StartTime metav1.Time `json:"startTime"`
	// When it first ran; null if it never did.
	RunTime *metav1.Time `json:"runTime"`
	// When it completed.
	CompletionTime metav1.Time `json:"completionTime"`
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

// RetryAdvice is the advice about a retry from the plugin that judged the failure. The retry policy decides whatever
// the advice leaves open.
type RetryAdvice struct {
	// Which Tasks restart together; empty if it gives no advice on that.
	Restart RestartScope `json:"restart,omitempty"`
	// Seconds before the retry; nil if it gives no advice on that.
	DelaySec *int32 `json:"delaySec,omitempty"`
	// True if the attempt of the Framework ends with this failure.
	GiveUpAttempt bool `json:"giveUpAttempt,omitempty"`
}

// RetryOwner says whose retry policy has decided.
//
// +kubebuilder:validation:Enum=Task;TaskRole;Framework
type RetryOwner string

const (
	// RetryOfTask: the retryPolicy of a Task, which is in its role's template.
	RetryOfTask RetryOwner = "Task"
	// RetryOfTaskRole: the retryPolicy of a role, which restarts the role as a whole.
	RetryOfTaskRole RetryOwner = "TaskRole"
	// RetryOfFramework: the retryPolicy of the Framework.
	RetryOfFramework RetryOwner = "Framework"
)

// RetryVerdict says whether one retry policy has a retry left for a failure, and by which limit it has none. It states the policy
// as it was when the attempt ended.
type RetryVerdict struct {
	// Whose policy it is.
	Of RetryOwner `json:"of"`
	// Name of the Task, such as worker-0, or of the role; empty for the Framework.
	// +optional
	Name string `json:"name,omitempty"`
	// Whether a retry is left. If not, the next policy decides.
	RetryLeft bool `json:"retryLeft"`
	// Row of the retry table that decided, such as R7; empty for a role, which
	// knows maxRetryCount only.
	// +optional
	Row string `json:"row,omitempty"`
	// Limit that is used up: maxRetryCount of the policy, or of its budget. Absent
	// if a retry is left, or if another limit decided.
	// +optional
	MaxRetryCount *int32 `json:"maxRetryCount,omitempty"`
	// Budget that is used up, by its cause as in the counters: code=137,
	// phrase=OutOfDisk or attribute=Conflict. Empty if no budget decided.
	// +optional
	Budget string `json:"budget,omitempty"`
	// Window that is full; absent if no window decided.
	// +optional
	Window *RetryWindowSpec `json:"window,omitempty"`
}
