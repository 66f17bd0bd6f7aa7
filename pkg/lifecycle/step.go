package lifecycle

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Input is everything on which a decision depends.
type Input struct {
	Framework Framework
	// Saved is the last state known to be stored; nil while the Framework has no status.
	Saved    *State
	Observed Observed
	Config   Config
	// Asking are the plugins' parts in decisions about this Framework.
	Asking Asking
	// Seed is the source of this round's random choices: instance UIDs and retry delays. It must be random, and new in every
	// round.
	Seed [16]byte
	// Now is the time of the round. The status has whole seconds, so fractions are dropped.
	Now time.Time
}

// Framework has the facts about the object itself that the core needs.
type Framework struct {
	Name string
	UID  types.UID
	// Generation of Spec, reported back as status.observedGeneration.
	Generation int64
	// Deleting: the object has a deletionTimestamp. Nothing is created and no retry starts, while draining goes on (decisions,
	// W17).
	Deleting bool
	// Spec is not nil, and has been defaulted and validated by the API server. Specs that this validation excludes (duplicate
	// roles, negative counts) are tolerated, since an older CRD may have admitted them.
	Spec *v1.FrameworkSpec
}

// Config is the part of the configuration on which decisions depend (contract 9.1).
type Config struct {
	// CreationTimeout is how long an acknowledged object may stay invisible before the attempt is given up.
	CreationTimeout time.Duration
	// CompletedRetention is how long a completed Framework is kept, unless its spec sets another time.
	CompletedRetention time.Duration
	// ConflictRetryDelayMinSec and MaxSec bound the random delay, in seconds, both included, before a Framework
	// is retried after a conflict.
	ConflictRetryDelayMinSec, ConflictRetryDelayMaxSec int64
	// MaxTasks limits the total number of Tasks of a Framework; 0 stands for v1.MaxTasks. A stored Framework with more Tasks
	// keeps them.
	MaxTasks int
	// Rules classify failed Pods; nil knows the predefined codes only.
	Rules *completion.Rules
}

// Output is the next state of a Framework and the actions that follow from it.
type Output struct {
	// State is to be stored before any of Actions is performed. It equals Input.Saved, pointer for pointer,
	// if nothing changed.
	State *State
	// Actions are repeated in each round until the observation shows them done.
	Actions []Action
	// Moves are the transitions made, in order.
	Moves []Move
	// Holds are the reasons for not moving, where a table has a row for it.
	Holds []Hold
	// Events are for users, to be reported once State is stored.
	Events []Event
	// NodesAvoided are nodes that Pods avoid from now on. NodesNeeded are nodes that Pods no longer have to avoid, because no
	// other node was found.
	NodesAvoided, NodesNeeded []v1.AvoidedNode
	// WakeAt is the earliest time at which one of the Tasks looked at, or the Framework, wants another round;
	// zero if none does. A round for it must not be Partial.
	WakeAt time.Time
	// Requeue: more can be decided as soon as State is stored, for the Framework and for RequeueTasks.
	Requeue      bool
	RequeueTasks []TaskRef
	// Faults are transitions that the tables do not allow, and that were therefore refused. Always empty,
	// unless this package has a bug.
	Faults []string
}

// Step returns the next state of a Framework and the actions that follow from it. It reads no clock, does no I/O and never
// changes its input: the same Input always gives the same Output.
func Step(in Input) Output {
	r := newRound(in)
	if in.Saved == nil {
		r.initialise()
	} else {
		r.rescale()
		r.copyTimeouts()
		r.countActiveTime()
		r.noteCompleted()
		r.created = r.openGates()
		r.placeLater(r.created)
		if in.Observed.Partial {
			r.lookAtCreated(r.created) // by the end of another Framework, which is no reason to look at all Tasks
		}
	}
	r.stepFramework()
	r.stepCompanions()
	r.stepVolumes()
	r.derive()
	return r.output()
}
