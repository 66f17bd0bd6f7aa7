package pluginhost

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// State is the state of a plugin.
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
	// It is no longer configured. Only OnChange reports this state.
	Removed State = "Removed"
)

// Health is the state of one configured plugin at a moment.
type Health struct {
	Name  string
	Kind  plugin.Kind
	State State
	// Since when it is in this state.
	Since time.Time
	// Version that the process reports; empty until then.
	Version string
	// Minor version of the protocol that it states; 0 also if it states none.
	Minor int32
	// PID of the process; 0 if there is none.
	PID int
	// Number of restarts of the process since the configuration was last changed.
	Restarts int
	// Number of consecutive questions that got no answer, even when repeated, and ends of the process; 0 after an
	// answer.
	ConsecutiveFaults int
	// The last fault since the configuration was last changed; nil if there was none.
	LastFault     *Fault
	LastFaultTime time.Time
	// Why a changed configuration has not taken over yet, so that the previous one answers; empty if there is none.
	Replacement string
}
