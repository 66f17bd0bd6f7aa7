package lifecycle

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// task is one Task of a round: its current state, and the methods that change it.
type task struct {
	r     *round
	role  *roleDraft
	index int32
}

func (t task) ref() TaskRef                       { return TaskRef{t.role.name, t.index} }
func (t task) status() *v1.TaskStatus             { return t.role.tasks[t.index] }
func (t task) update(change func(*v1.TaskStatus)) { t.role.update(t.index, change) }
func (t task) undecided() bool                    { return t.status().AttemptStatus.CompletionStatus == nil }
func (t task) isStored() bool                     { return t.role.isStored(t.index) }
func (t task) view() PodView                      { return t.r.view(t.ref()) }

// decide sets the outcome of the attempt, unless it is known already: the first outcome of an attempt stays. Others may have to
// restart with it.
func (t task) decide(s v1.TaskAttemptCompletionStatus) {
	if t.undecided() {
		memory := t.learnMemory(&s)
		t.update(func(next *v1.TaskStatus) {
			next.AttemptStatus.CompletionStatus, next.AttemptStatus.AwaitedRestart = &s, nil
			next.Memory = memory
			t.leaveQueue(next)
		})
		t.reportMemory()
		t.blameNode(&s)
		t.drawPeers()
	}
}

// decideCode is decide for a predefined code.
func (t task) decideCode(code completion.Code, diagnostics string) {
	t.decide(v1.TaskAttemptCompletionStatus{CompletionStatus: completion.Predefined(code, diagnostics)})
}

// move takes the Task along a row of its table, and keeps the times that every row keeps.
func (t task) move(row *Transition) {
	ref := t.ref()
	if !t.r.allowed(row, t.status().State, &ref) {
		return
	}
	now := t.r.now
	t.update(func(s *v1.TaskStatus) {
		s.State, s.TransitionTime = row.To, now
		switch row.To {
		case v1.AttemptRunning:
			s.AttemptStatus.RunTime = &now
			if s.RunTime == nil {
				s.RunTime = &now
			}
		case v1.AttemptCompleted:
			s.AttemptStatus.CompletionTime = &now
		case v1.Completed:
			s.CompletionTime = &now
		}
	})
}

// complete ends the Task because its attempt of the Framework has ended (rows T15).
func (t task) complete() {
	switch t.status().State {
	case v1.Completed:
		return
	case v1.AttemptCompleted:
	default:
		t.move(&t15a)
	}
	if t.status().RetryPolicyStatus.RetryDelaySec != nil {
		t.update(func(s *v1.TaskStatus) { s.RetryPolicyStatus.RetryDelaySec = nil })
	}
	t.move(&t15b)
}
