package lifecycle

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
)

// Observed is the knowledge about the outside world. It may lag behind, and it may be incomplete, but its claims were true at
// some time after the last state was stored.
type Observed struct {
	ConfigMap ConfigMapView
	// Pods by Task: every Pod with the Framework's label, and the results of actions on Tasks. It may name Tasks that the status
	// does not have; their Pods are leftovers.
	Pods map[TaskRef]PodView
	// Partial: Pods lists only the Tasks with news. The others are not looked at, so that the cost of a round is proportional to
	// the changes. The ConfigMap, the spec, the items, the Framework and the stored state must be the same as in the previous round, or
	// its results.
	Partial bool
	// Stalls are the Pods that make no progress (PodView.Stall). They are all listed in every round,
	// also in a partial one: that nothing happens is no news. Stalls that are Usual, as for each Pod
	// for a while, need not be listed before Until, if there is a full round then.
	Stalls map[TaskRef]waiting.Stall
	// Decision is the latest answer about the attempt's completion; nil if there is none.
	Decision *Decision
	// Hints is the knowledge about the scheduler's hints.
	Hints HintsView
	// Archived is what no longer needs to be archived.
	Archived Archived
	// LogsCollected are the Pods, by their Tasks, with logs that are collected or given up. Pods of the past
	// may be listed, too.
	LogsCollected map[TaskRef]types.UID
	// Companions is the knowledge about the Framework's companions.
	Companions map[Companion]CompanionView
	// Items of the roles that have some, by role. They are all listed in every round.
	Items map[string]ItemsView
	// Others are the Frameworks that roles start after and that are not stored as completed yet, by name. One that is not listed does
	// not exist.
	Others map[string]gates.Other
	// OthersCircle are the names of Frameworks that wait for each other by startAfter, beginning with this one; nil if it is in no
	// circle. The last waits for this one.
	OthersCircle []string
	// Claims is the knowledge about claims of volumes. It may name claims that no longer matter.
	Claims map[ClaimRef]ClaimView
	// Blockers are what keeps requested actions from succeeding at the moment, Minor ones last; they become a condition.
	Blockers []waiting.Fact
}

// TaskRef names a Task within its Framework.
type TaskRef struct {
	Role  string
	Index int32
}

// ConfigMapView is the knowledge about the name of the attempt's ConfigMap.
type ConfigMapView struct {
	// ConfigMap that currently has that name; nil if none is known.
	ConfigMap *ConfigMap
	// Gone is the UID of a ConfigMap of that name that is certainly gone: its deletion was watched, or the API server was asked.
	Gone types.UID
	// DeleteRequested is the UID of a ConfigMap whose deletion the controller has requested and the API server has accepted.
	DeleteRequested types.UID
	// Asked: the API server was asked since the last attempt at a creation, and ConfigMap includes its answer. Otherwise, an
	// absent ConfigMap may exist without being in the cache yet.
	Asked bool
}

// ConfigMap has the facts about an attempt's ConfigMap that the core needs.
type ConfigMap struct {
	// UID is never empty.
	UID types.UID
	// Cached: the controller's cache shows it. False if it is known only from the answer to a request.
	Cached bool
	// FrameworkUID is the UID of its controlling Framework; empty if it has another controller or none.
	FrameworkUID types.UID
	// AttemptID of its attempt; negative if it has none.
	AttemptID int32
	// Deleting: it has a deletionTimestamp, which is TerminationStart.
	Deleting         bool
	TerminationStart time.Time
	// AwaitsCollector: its finalizer foregroundDeletion, which the garbage collector removes, is still there.
	AwaitsCollector bool
}

// PodView is the knowledge about the name of a Task's Pod.
type PodView struct {
	// Pod that currently has that name; nil if none is known.
	Pod *Pod
	// Gone, DeleteRequested and Asked: as in ConfigMapView.
	Gone            types.UID
	DeleteRequested types.UID
	Asked           bool
	// Unsure: a Pod is being created under that name, or may have been, as there was no answer. Until Asked is set, a Pod that is
	// only Cached may be outdated.
	Unsure bool
	// Refusal is the API server's final rejection of a creation; nil if there is none.
	Refusal *Refusal
	// Verdict is the meaning of the Pod's failure; nil if nobody was asked.
	Verdict *Verdict
	// StartVerdict is the answer whether a Pod may take longer to run; nil if nobody was asked.
	StartVerdict *deadline.Verdict
	// Disruption of the Pod now under that name, or of the last one that has gone; nil if none is known.
	Disruption *Disruption
}

// Pod has the facts about a Pod that the core needs.
type Pod struct {
	// UID is never empty.
	UID types.UID
	// Cached: as in ConfigMap.
	Cached bool
	// ConfigMapUID is the UID of its controlling ConfigMap; empty if it has another controller or none.
	ConfigMapUID types.UID
	// TaskUID and TaskAttemptID of its attempt; empty and negative if it has none.
	TaskUID       string
	TaskAttemptID int32
	// Deleting: it has a deletionTimestamp. TerminationStart is when termination began, whoever began it, and
	// TerminationEnd when its grace period is over, which is the deletionTimestamp.
	Deleting                         bool
	TerminationStart, TerminationEnd time.Time
	// Finalizers that keep it while it is Deleting, separated by commas; empty if there are none.
	Finalizers string
	// AvoidsStrictly: it was created with strict avoidance of nodes.
	AvoidsStrictly bool
	// StallCause is why it does not get going; nil if it does, or nothing is known against it.
	StallCause *waiting.Cause
	// Unstarted: it has a node, and does not run yet, and none of its init containers runs.
	Unstarted bool
	// HasLogs: one of its containers has started, so that there may be a log.
	HasLogs bool
	// Ready: its condition Ready is true.
	Ready bool

	Phase                PodPhase
	NodeName, IP, HostIP string
	// Over is PodSucceeded or PodFailed once the containers that complete the Pod have all ended, whatever its Phase; empty
	// before, and for a Pod that is completed by all of its containers.
	Over PodPhase
	// Outcome is its reported result; the zero value unless Result is PodSucceeded or PodFailed.
	Outcome completion.Pod
}

// Held reports whether nothing but finalizers keeps the Pod. It terminates and no longer runs anything: it has ended, or never got a
// node, and while it terminates it gets none. Finalizers may wait for what comes after it, such as the next Pod, so nobody waits
// for it to go except a Task that needs its name.
func (p *Pod) Held() bool {
	over := p.Phase == PodSucceeded || p.Phase == PodFailed || p.Phase == PodPending && p.NodeName == ""
	return p.Deleting && p.Finalizers != "" && over
}

// Result is how the Pod has ended for its Task, which Over shows before Phase does; otherwise its Phase.
func (p *Pod) Result() PodPhase { return cmp.Or(p.Over, p.Phase) }

// PodPhase is a Pod's status.phase. Values that are not listed here have no effect.
type PodPhase string

// The phases that matter to a Task.
const (
	PodPending   PodPhase = "Pending"
	PodRunning   PodPhase = "Running"
	PodSucceeded PodPhase = "Succeeded"
	PodFailed    PodPhase = "Failed"
)

// Refusal is a final rejection of a Pod's creation: another try would get the same answer.
type Refusal struct {
	// TaskUID and TaskAttemptID of the creation; a refusal of any other attempt is ignored.
	TaskUID       string
	TaskAttemptID int32
	// Code is -200 or -310 (contract 4.6).
	Code completion.Code
	// Diagnostics is the API server's answer.
	Diagnostics string
}
