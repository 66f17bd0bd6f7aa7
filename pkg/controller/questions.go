package controller

import (
	"errors"
	"maps"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// askAgainAfter is how long a question waits that could not be answered.
const askAgainAfter = 2 * time.Second

// questions holds the answers of plugins about a Framework, and the open questions. None of it is needed after a restart: the
// decisive answers are in the status, and everything else is asked again.
type questions struct {
	open     map[lifecycle.Action]bool // under way
	waiting  map[any]waitingQuestion   // by topic
	verdicts map[lifecycle.TaskRef]*lifecycle.Verdict
	// startVerdicts are the verdicts on Pods that do not start.
	startVerdicts map[lifecycle.TaskRef]*deadline.Verdict
	finished      map[lifecycle.TaskRef]time.Time // when Tasks completed, more precisely than in the status
	decision      *lifecycle.Decision
	decided       *lifecycle.Decision // a plugin's last decision; nil if there is none
	lacking       bool                // a plugin that does not answer had no part in the decision: ask it again
	outdated      bool                // the policies have changed during the decision under way
	hints         lifecycle.HintsView
	hintsOf       int32     // the attempt that hints are for
	hintsMade     madeHints // the last
	hintsFollow   hintsFollow
}

// waitingQuestion is a question that could not be answered. It stays until it, or its successor, is answered, so that the
// condition does not flicker with each attempt.
type waitingQuestion struct {
	question lifecycle.Action
	why      error
	again    bool // ask it again
}

func newQuestions() questions {
	return questions{
		open:          map[lifecycle.Action]bool{},
		waiting:       map[any]waitingQuestion{},
		verdicts:      map[lifecycle.TaskRef]*lifecycle.Verdict{},
		startVerdicts: map[lifecycle.TaskRef]*deadline.Verdict{},
		finished:      map[lifecycle.TaskRef]time.Time{},
	}
}

// ofTheEnd returns the part that matters once a Framework has completed: whether its end is being archived. Without it, each round
// would send the end again, and a hanging sink would get more and more calls.
func (q *questions) ofTheEnd() questions {
	out := newQuestions()
	for a := range q.open {
		if _, ok := a.(lifecycle.ArchiveAttempt); ok {
			out.open[a] = true
		}
	}
	for about, w := range q.waiting {
		if _, ok := w.question.(lifecycle.ArchiveAttempt); ok {
			out.waiting[about] = w
		}
	}
	return out
}

// askable returns the questions among the actions that are not under way, and need not wait.
func (q *questions) askable(actions []lifecycle.Action) []lifecycle.Action {
	var out []lifecycle.Action
	for _, a := range actions {
		if q.oneAtATime(a) {
			continue // the answer causes a round, which asks the next question
		}
		if w := q.waiting[topic(a)]; isQuestion(a) && !q.open[a] && (w.question != a || w.again || q.mayDiffer(a)) {
			out = append(out, a)
		}
	}
	return out
}

// mayDiffer reports whether a question that had to wait may have a different answer by now.
func (q *questions) mayDiffer(a lifecycle.Action) bool {
	_, ofScheduler := a.(lifecycle.PrepareHints)
	return ofScheduler && q.hints.Changed
}

// oneAtATime reports whether a question must wait for the answer to its predecessor.
func (q *questions) oneAtATime(a lifecycle.Action) bool {
	switch a.(type) {
	case lifecycle.DecideCompletion:
		return q.deciding()
	case lifecycle.AskHints, lifecycle.PrepareHints:
		return q.hinting()
	}
	return false
}

// hinting reports whether a question about hints is under way: the Tasks of a role may complete faster than it is answered.
func (q *questions) hinting() bool {
	for open := range q.open {
		if topic(open) == topic(lifecycle.AskHints{}) {
			return true
		}
	}
	return false
}

// deciding reports whether a decision is under way. There is one at a time: otherwise a slow policy would get a question for each
// Task that completes.
func (q *questions) deciding() bool {
	for open := range q.open {
		if _, ok := open.(lifecycle.DecideCompletion); ok {
			return true
		}
	}
	return false
}

// askWaitingAgain makes the unanswered questions be asked again.
func (q *questions) askWaitingAgain() {
	if q.lacking {
		q.decision, q.lacking = nil, false
	}
	for about, w := range q.waiting {
		w.again = true
		q.waiting[about] = w
	}
}

// forgetTasks forgets the answers about Tasks that are gone: a Framework may have any number of them, one after the other.
func (q *questions) forgetTasks(exists func(lifecycle.TaskRef) bool) {
	maps.DeleteFunc(q.verdicts, func(ref lifecycle.TaskRef, _ *lifecycle.Verdict) bool { return !exists(ref) })
	maps.DeleteFunc(q.startVerdicts, func(ref lifecycle.TaskRef, _ *deadline.Verdict) bool { return !exists(ref) })
	maps.DeleteFunc(q.finished, func(ref lifecycle.TaskRef, _ time.Time) bool { return !exists(ref) })
}

// blockedBy returns the reasons for which questions wait. A plugin may block questions about any number of Tasks, so it is listed
// once for each kind of question.
func (q *questions) blockedBy() (found []waiting.Fact) {
	type wait struct {
		why    reason.Waiting
		action waiting.Action
		words  string
	}
	listed := map[wait]bool{}
	for _, w := range q.waiting {
		what := wait{waitingReason(w.why), waitingAction(w.question), completion.Cut(w.why.Error(), longestMessage)}
		if !listed[what] {
			listed[what] = true
			found = append(found, waiting.Fact{Reason: what.why, Action: what.action, Words: what.words})
		}
	}
	return found
}

// hintsView returns the known facts about the hints for the stored attempt.
func (q *questions) hintsView(saved *lifecycle.State) (view lifecycle.HintsView) {
	if saved == nil {
		return view
	}
	attempt := &saved.Framework().AttemptStatus
	if q.hintsOf == attempt.ID {
		view = q.hints
	}
	view.FollowTasks, view.FollowStart = q.hintsFollow.by(attempt.SchedulerHints)
	return view
}

// decisionThatCounts returns the valid decision: this one, unless it was made without a plugin that has decided the same question
// before. If that plugin does not answer now, for example during a restart, its decision stands.
func (q *questions) decisionThatCounts(now *lifecycle.Decision, skipped skippedPlugins) *lifecycle.Decision {
	before := q.decided
	if before != nil && before.Digest == now.Digest && skipped.isFaulty(before.Source.Plugin) {
		return before
	}
	q.decided = nil
	if now.Source.Plugin != "" {
		q.decided = now
	}
	return now
}

// forgetDecision makes the decision be made again, even one under way. It reports whether there was one.
func (q *questions) forgetDecision() (known bool) {
	q.outdated, known = q.deciding(), q.decision != nil
	q.decision = nil
	return known
}

// noteFinished remembers in which order Tasks complete: the status has whole seconds, and a policy may have to know which
// of two was first. After a restart only the status is known.
func (q *questions) noteFinished(moves []lifecycle.Move, now time.Time) {
	for i, m := range moves {
		if m.Task != nil && m.To == v1.Completed {
			q.finished[*m.Task] = now.Add(time.Duration(i)) // in the order of the round
		}
	}
}

// finishedAt is when a Task completed, if that is known more exactly than to the second.
func (q *questions) finishedAt(ref lifecycle.TaskRef, stored time.Time) time.Time {
	if exact, known := q.finished[ref]; known && exact.Truncate(time.Second).Equal(stored) {
		return exact
	}
	return stored
}

// hintsFor returns the facts about the hints for an attempt, and forgets the facts for an earlier one.
func (q *questions) hintsFor(attempt int32) *lifecycle.HintsView {
	if q.hintsOf != attempt {
		q.hints, q.hintsOf = lifecycle.HintsView{}, attempt
	}
	return &q.hints
}

// skippedPlugins collects the plugins without which questions were answered.
type skippedPlugins map[string]error

func (s skippedPlugins) add(plugin string, why error) { s[plugin] = why }

// faulty reports whether a plugin was left out because it does not answer. One that refuses would do so again.
func (s skippedPlugins) faulty() bool {
	for plugin := range s {
		if s.isFaulty(plugin) {
			return true
		}
	}
	return false
}

// isFaulty reports whether that plugin was left out because it does not answer.
func (s skippedPlugins) isFaulty(plugin string) bool {
	why, left := s[plugin]
	return left && !errors.As(why, new(*consult.Refusal))
}
