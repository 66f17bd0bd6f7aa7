package lifecycle

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Move is one transition that a round made.
type Move struct {
	// Task that moved; nil for the Framework itself.
	Task *TaskRef
	// Row of the transition table.
	Row      string
	From, To v1.State
	// Retry is the row of the retry table behind it; empty if that was not asked.
	Retry retry.RowID
}

// Hold is a reason why the Framework, or a Task, keeps its state.
type Hold struct {
	// Task that keeps its state; nil for the Framework itself.
	Task *TaskRef
	// Row of the transition table.
	Row string
}

// String is "{who}: {from} -> {to}", without the common prefix of the states. The state of a missing status is "none".
func (m Move) String() string {
	who := "framework"
	if m.Task != nil {
		who = m.Task.String()
	}
	return who + ": " + short(m.From) + " -> " + short(m.To)
}

func short(s v1.State) string {
	const prefix = "Attempt"
	if s == noState {
		return "none"
	}
	if s == v1.AttemptCompleted || len(s) <= len(prefix) || s[:len(prefix)] != prefix {
		return string(s)
	}
	return string(s[len(prefix):])
}

// Event is something that a user cares about, in the form of a Kubernetes Event. Its text is stable.
type Event struct {
	// Warning rather than Normal.
	Warning bool
	Reason  reason.Event
	// Facts of the event, which programs read. Message is for people.
	Facts   reason.Facts
	Message string
}
