package guard

import (
	"sync/atomic"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// rounds tells when rounds have ended. It is the observer of a controller.
type rounds struct {
	atEnd   func() // nil for nothing
	writing atomic.Bool
	written chan struct{} // one of a round that has stored a status; a second is not kept
}

func newRounds(m mistake) *rounds { return &rounds{atEnd: m.inRounds, written: make(chan struct{}, 1)} }

// expectWrite forgets rounds of the past, so that written is of one to come.
func (r *rounds) expectWrite() {
	select {
	case <-r.written:
	default:
	}
}

func (r *rounds) RoundEnded(time.Duration, controller.Outcome) {
	if r.atEnd != nil {
		r.atEnd()
	}
	if r.writing.Swap(false) {
		select {
		case r.written <- struct{}{}:
		default:
		}
	}
}

func (r *rounds) StatusWritten(int, time.Duration, controller.Outcome)      { r.writing.Store(true) }
func (r *rounds) ActionEnded(string, time.Duration, controller.Outcome)     {}
func (r *rounds) AttemptCompleted(controller.Subject, *v1.CompletionStatus) {}
func (r *rounds) Retried(controller.Subject, bool)                          {}
func (r *rounds) NodeAvoided(bool)                                          {}
func (r *rounds) NodesNeeded(int)                                           {}
func (r *rounds) Deleted(reason.Kind, reason.Cause)                         {}
func (r *rounds) WatchBroke(string)                                         {}
