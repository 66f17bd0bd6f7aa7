package pluginhost

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// State is how a plugin is.
type State string

const (
	// The process is being started for the first time, or after it was replaced.
	Starting State = "Starting"
	// It has described itself and answers.
	Ready State = "Ready"
	// It ended, or could not be started, and will be started again.
	Failing State = "Failing"
	// It runs, but is not asked for a while, as its answers were faults.
	CircuitOpen State = "CircuitOpen"
	// It runs, but does not accept its parameters, so it is not asked.
	Refused State = "Refused"
	// It is not configured any more. Only OnChange tells this state.
	Removed State = "Removed"
)

// Health is how one configured plugin is at a moment.
type Health struct {
	Name  string
	Kind  plugin.Kind
	State State
	// Since when it is in this state.
	Since time.Time
	// What the process says its version is; empty before it has said so.
	Version string
	// The minor version of the protocol that it says it was made for; 0 also if it says none.
	Minor int32
	// Of the process; 0 if there is none.
	PID int
	// How often the process was started again, since the configuration was last changed.
	Restarts int
	// Questions in a row that got no answer, also when they were asked again, and ends of the process; 0 after an answer.
	ConsecutiveFaults int
	// The last fault since the configuration was last changed; nil if there was none.
	LastFault     *Fault
	LastFaultTime time.Time
	// Why a changed configuration has not taken over yet, so that the one before answers; empty if there is none.
	Replacement string
}
