package lifecycletest

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// Hooks are called as things happen; a nil hook is not called.
type Hooks struct {
	// Stepped: the core has decided.
	Stepped func(lifecycle.Input, lifecycle.Output)
	// Saved: a request was made to store a status, with this error.
	Saved func(*v1.FrameworkStatus, error)
	// Reported: the state is stored, and the events are reported to users.
	Reported func([]lifecycle.Event)
	// Started: an action is under way.
	Started func(lifecycle.Action)
	// Performed: an action was answered, with that error.
	Performed func(lifecycle.Action, error)
	// Restarted: the controller has lost its memory.
	Restarted func()
	// Stored: a status of the Framework with that UID has arrived at the API server, whether or not its sender gets the answer.
	Stored func(types.UID, *lifecycle.State)
	// Archived: a sink of the history has stored the subject of a question, for the Framework with that UID and in that state. Its answer
	// may be lost.
	Archived func(types.UID, lifecycle.Action, *lifecycle.State)
	// Turned: something has happened anywhere.
	Turned func()
	// Failed: something happened that never should.
	Failed func(error)
}

func (h *Hooks) stepped(in lifecycle.Input, out lifecycle.Output) {
	if h.Stepped != nil {
		h.Stepped(in, out)
	}
}

func (h *Hooks) saved(status *v1.FrameworkStatus, err error) {
	if h.Saved != nil {
		h.Saved(status, err)
	}
}

func (h *Hooks) reported(events []lifecycle.Event) {
	if h.Reported != nil {
		h.Reported(events)
	}
}

func (h *Hooks) started(action lifecycle.Action) {
	if h.Started != nil {
		h.Started(action)
	}
}

func (h *Hooks) performed(action lifecycle.Action, err error) {
	if h.Performed != nil {
		h.Performed(action, err)
	}
}

func (h *Hooks) restarted() {
	if h.Restarted != nil {
		h.Restarted()
	}
}

func (h *Hooks) stored(framework types.UID, state *lifecycle.State) {
	if h.Stored != nil {
		h.Stored(framework, state)
	}
}

func (h *Hooks) archived(framework types.UID, question lifecycle.Action, state *lifecycle.State) {
	if h.Archived != nil {
		h.Archived(framework, question, state)
	}
}

func (h *Hooks) turned() {
	if h.Turned != nil {
		h.Turned()
	}
}

func (h *Hooks) failed(err error) {
	if h.Failed != nil {
		h.Failed(err)
	}
}
