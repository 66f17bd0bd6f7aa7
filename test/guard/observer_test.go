package guard

import (
	"sync/atomic"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// rounds observes a controller, and signals the end of rounds.
type rounds struct {
	atEnd   func() // nil for nothing
	writing atomic.Bool
	written chan struct{} // signals a round that has stored a status; a second signal is dropped
}

func newRounds(m mistake) *rounds { return &rounds{atEnd: m.inRounds, written: make(chan struct{}, 1)} }

// expectWrite drops earlier signals, so that the next one is from a later round.
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
func (r *rounds) HistoryDropped(int)                                        {}
func (r *rounds) LogsNotCollected(controller.LogsMissed)                    {}
func (r *rounds) ShadowVerdict(consult.InShadow, consult.ShadowOutcome)     {}
func (r *rounds) Deleted(reason.Kind, reason.Cause)                         {}
func (r *rounds) WatchBroke(string)                                         {}
