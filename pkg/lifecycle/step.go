package lifecycle

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Input is everything that a decision depends on.
type Input struct {
	Framework Framework
	// Saved is the last state known to be stored; nil while the Framework has no status.
	Saved    *State
	Observed Observed
	Config   Config
	// Asking says what plugins are asked about this Framework.
	Asking Asking
	// Seed makes this round's random choices: instance UIDs and retry delays. It is to be random, and new in
	// every round.
	Seed [16]byte
	// Now is the time of the round. The status has whole seconds, so fractions are dropped.
	Now time.Time
}

// Framework is what the core needs of the object itself.
type Framework struct {
	Name string
	UID  types.UID
	// Generation of Spec, reported back as status.observedGeneration.
	Generation int64
	// Deleting: the object has a deletionTimestamp. Nothing is created and no retry starts any more, while
	// draining goes on (decisions, W17).
	Deleting bool
	// Spec is not nil, and has been defaulted and validated by the API server. What validation by the API
	// server excludes (duplicate roles, negative counts) is tolerated, since an older CRD may have let it in.
	Spec *v1.FrameworkSpec
}

// Config is the part of the configuration that decisions depend on (contract 9.1).
type Config struct {
	// CreationTimeout is how long an acknowledged object may stay invisible before the attempt is given up.
	CreationTimeout time.Duration
	// CompletedRetention is how long a completed Framework is kept, unless its spec says otherwise.
	CompletedRetention time.Duration
	// ConflictRetryDelayMinSec and MaxSec bound the random delay, in seconds, both included, before a Framework
	// is retried after a conflict.
	ConflictRetryDelayMinSec, ConflictRetryDelayMaxSec int64
	// MaxTasks is how many Tasks a Framework gets, all roles together; 0 stands for v1.MaxTasks. What is stored may have
	// more, and keeps them.
	MaxTasks int
	// Rules classify failed Pods; nil knows the predefined codes only.
	Rules *completion.Rules
}

// Output is what a Framework becomes next and what should then be done about it.
type Output struct {
	// State is to be stored before any of Actions is performed. It equals Input.Saved, pointer for pointer,
	// if nothing changed.
	State *State
	// Actions are asked for again in each round until the observation shows them done.
	Actions []Action
	// Moves are the transitions made, in order.
	Moves []Move
	// Holds are the reasons for not moving, where a table has a row for it.
	Holds []Hold
	// Events are for users, to be reported once State is stored.
	Events []Event
	// NodesAvoided are nodes that Pods avoid from now on, and NodesNeeded those that they must avoid no more as there is no other.
	NodesAvoided, NodesNeeded []v1.AvoidedNode
	// WakeAt is the earliest time at which one of the Tasks looked at, or the Framework, wants another round;
	// zero if none does. A round for it must not be Partial.
	WakeAt time.Time
	// Requeue: there is more to decide as soon as State is stored, on the Framework and on RequeueTasks.
	Requeue      bool
	RequeueTasks []TaskRef
	// Faults are transitions that the tables do not allow, and that were therefore refused. Always empty,
	// unless this package has a bug.
	Faults []string
}

// Step returns what the Framework becomes next and what should then be done about it. It reads no clock, does
// no I/O and never changes its input: the same Input always gives the same Output.
func Step(in Input) Output {
	r := newRound(in)
	if in.Saved == nil {
		r.initialise()
	} else {
		r.rescale()
		r.copyTimeouts()
		r.placeLater(r.openGates())
	}
	r.stepFramework()
	r.stepCompanions()
	r.derive()
	return r.output()
}
