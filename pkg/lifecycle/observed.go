package lifecycle

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
)

// Observed is what is known of the world outside. It may lag behind, and it may be incomplete, but what it
// claims was true at some time after the last state was stored.
type Observed struct {
	ConfigMap ConfigMapView
	// Pods by Task: every Pod that carries the Framework's label, and what became of actions on Tasks.
	// It may name Tasks that the status does not have; their Pods are leftovers.
	Pods map[TaskRef]PodView
	// Partial: Pods lists only the Tasks about which something is new. The others are not looked at, so that
	// the cost of a round follows what changed. The ConfigMap, the spec, the Framework and the stored state
	// must be those of the round before, or what that round made of them.
	Partial bool
	// Stalls are the Pods that make no progress (PodView.Stall). They are all listed in every round,
	// also in a partial one: that nothing happens is no news. Those that are Usual, as each Pod is
	// for a while, need not be listed before Until, if there is a full round then.
	Stalls map[TaskRef]Stall
	// Decision is the latest answer about the attempt's completion; nil if there is none.
	Decision *Decision
	// Hints are what is known about the scheduler's wishes.
	Hints HintsView
	// Companions are what is known of the Framework's companions.
	Companions map[Companion]CompanionView
	// Blockers are what keeps requested actions from succeeding at the moment, Minor ones last; they become a condition.
	Blockers []Blocker
}

// TaskRef names a Task within its Framework.
type TaskRef struct {
	Role  string
	Index int32
}

// ConfigMapView is what is known about the name of the attempt's ConfigMap.
type ConfigMapView struct {
	// ConfigMap now under that name; nil if none is known.
	ConfigMap *ConfigMap
	// Gone is the UID of a ConfigMap of that name that no longer exists for certain: its deletion was watched,
	// or the API server was asked.
	Gone types.UID
	// DeleteRequested is the UID of a ConfigMap whose deletion we asked for and the API server has accepted.
	DeleteRequested types.UID
	// Asked: the API server was asked since a creation was last tried, and ConfigMap includes its answer.
	// Without that, an absent ConfigMap may only be one that the cache has not shown yet.
	Asked bool
}

// ConfigMap is what the core needs of an attempt's ConfigMap.
type ConfigMap struct {
	// UID is never empty.
	UID types.UID
	// Cached: our cache shows it. False if it is known from the answer to a request only.
	Cached bool
	// FrameworkUID is the UID of its controlling Framework; empty if it has another controller or none.
	FrameworkUID types.UID
	// AttemptID that it was made for; negative if it does not say.
	AttemptID int32
	// Deleting: it has a deletionTimestamp, which is TerminationStart.
	Deleting         bool
	TerminationStart time.Time
	// AwaitsCollector: its finalizer foregroundDeletion, which the garbage collector takes off, is still there.
	AwaitsCollector bool
}

// PodView is what is known about the name of a Task's Pod.
type PodView struct {
	// Pod now under that name; nil if none is known.
	Pod *Pod
	// Gone, DeleteRequested and Asked: as in ConfigMapView.
	Gone            types.UID
	DeleteRequested types.UID
	Asked           bool
	// Unsure: a Pod is being created under that name, or may have been, as there was no answer. Until it is Asked for, one that
	// is only Cached may be a sight of the past.
	Unsure bool
	// Refusal is the API server's final word on a creation; nil if there is none.
	Refusal *Refusal
	// Verdict says what the Pod's failure means; nil if nobody was asked.
	Verdict *Verdict
	// StartVerdict says whether a Pod may take longer to run; nil if nobody was asked.
	StartVerdict *deadline.Verdict
	// Disruption of the Pod now under that name, or of the last one that has gone; nil if none is known.
	Disruption *Disruption
}

// Pod is what the core needs of a Pod.
type Pod struct {
	// UID is never empty.
	UID types.UID
	// Cached: as in ConfigMap.
	Cached bool
	// ConfigMapUID is the UID of its controlling ConfigMap; empty if it has another controller or none.
	ConfigMapUID types.UID
	// TaskUID and TaskAttemptID that it was made for; empty and negative if it does not say.
	TaskUID       string
	TaskAttemptID int32
	// Deleting: it has a deletionTimestamp. TerminationStart is when termination began, whoever began it, and
	// TerminationEnd when its grace period is over, which is the deletionTimestamp.
	Deleting                         bool
	TerminationStart, TerminationEnd time.Time
	// Finalizers that keep it while it is Deleting, separated by commas; empty if there are none.
	Finalizers string
	// AvoidsStrictly: it was made not to go to nodes that its Framework avoids.
	AvoidsStrictly bool
	// StallCause is why it does not get going; nil if it does, or nothing is known against it.
	StallCause *StallCause
	// Unstarted: it has a node, and does not run yet, and none of its init containers runs.
	Unstarted bool
	// Ready: its condition Ready is true.
	Ready bool

	Phase                PodPhase
	NodeName, IP, HostIP string
	// Over is PodSucceeded or PodFailed once the containers that complete the Pod have all ended, whatever its Phase; empty
	// before, and for a Pod that is completed by all of its containers.
	Over PodPhase
	// Outcome is what it reported; its zero value unless Result is PodSucceeded or PodFailed.
	Outcome completion.Pod
}

// Result is how the Pod has ended for its Task, which Over says before Phase does; otherwise its Phase.
func (p *Pod) Result() PodPhase { return cmp.Or(p.Over, p.Phase) }

// PodPhase is a Pod's status.phase. A value that is not listed here changes nothing.
type PodPhase string

// The phases that mean something to a Task.
const (
	PodPending   PodPhase = "Pending"
	PodRunning   PodPhase = "Running"
	PodSucceeded PodPhase = "Succeeded"
	PodFailed    PodPhase = "Failed"
)

// Refusal is an answer to a Pod's creation that trying again would not change.
type Refusal struct {
	// TaskUID and TaskAttemptID that the creation was for; a refusal of any other attempt is ignored.
	TaskUID       string
	TaskAttemptID int32
	// Code is -200 or -310 (contract 4.6).
	Code completion.Code
	// Diagnostics is the API server's answer.
	Diagnostics string
}

// Blocker is a reason for waiting, in the terms of a condition.
type Blocker struct {
	// Reason is one PascalCase word.
	Reason string
	// Message says what is in the way, without times or counts that change by themselves.
	Message string
	// Words of others follow the message; empty if there are none. They may be put differently at any time.
	Words string
	// Edited: the words are the first after a change of the spec, so that numbers in them may be others because of that.
	Edited bool
	// Minor: it keeps nothing from running, and is told only if nothing else is in the way.
	Minor bool
}
