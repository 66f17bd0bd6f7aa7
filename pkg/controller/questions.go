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

// questions are what is known of a Framework from plugins, and what they are being asked. None of it is needed after a
// restart: what counts is in the status, and everything else is asked again.
type questions struct {
	open     map[lifecycle.Action]bool // those under way
	waiting  map[any]waitingQuestion   // by topic
	verdicts map[lifecycle.TaskRef]*lifecycle.Verdict
	// startVerdicts are those on Pods that do not get to run.
	startVerdicts map[lifecycle.TaskRef]*deadline.Verdict
	finished      map[lifecycle.TaskRef]time.Time // when Tasks completed, more exactly than the status says
	decision      *lifecycle.Decision
	decided       *lifecycle.Decision // the last that a plugin has made; nil if none has
	lacking       bool                // a plugin that does not answer had no part in the decision: it is to be asked again
	outdated      bool                // the decision that is under way is by policies that have changed meanwhile
	hints         lifecycle.HintsView
	hintsOf       int32     // the attempt that hints are for
	hintsMade     madeHints // the last
	hintsFollow   hintsFollow
}

// waitingQuestion is a question that could not be answered. It stays until it, or one that has taken its place, can be, so
// that what users read does not come and go with each try.
type waitingQuestion struct {
	question lifecycle.Action
	why      error
	again    bool // it is to be asked again
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

// askable returns the questions among the actions that are not under way, and need not be waited with.
func (q *questions) askable(actions []lifecycle.Action) []lifecycle.Action {
	var out []lifecycle.Action
	for _, a := range actions {
		if q.oneAtATime(a) {
			continue // the answer causes a round, which asks what there is to ask by then
		}
		if w := q.waiting[topic(a)]; isQuestion(a) && !q.open[a] && (w.question != a || w.again || q.mayDiffer(a)) {
			out = append(out, a)
		}
	}
	return out
}

// mayDiffer reports whether there may be another answer to a question by now than that it has to wait.
func (q *questions) mayDiffer(a lifecycle.Action) bool {
	_, ofScheduler := a.(lifecycle.PrepareHints)
	return ofScheduler && q.hints.Changed
}

// oneAtATime reports whether a question has to wait for the answer to one that it takes the place of.
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

// deciding reports whether a decision is under way. There is one at a time: a policy that is slow would get a question for
// each Task that completes otherwise.
func (q *questions) deciding() bool {
	for open := range q.open {
		if _, ok := open.(lifecycle.DecideCompletion); ok {
			return true
		}
	}
	return false
}

// askWaitingAgain lets the questions that could not be answered be asked anew.
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

// blockedBy are the reasons for which questions wait. A plugin is in the way of questions about any number of Tasks, so it is listed
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

// hintsView is what is known of the hints for the attempt that is stored.
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

// decisionThatCounts is the decision that counts: this one, unless it was made without a plugin that has decided the
// same question before. That it does not answer now, such as while it is restarted, does not change its mind.
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

// forgetDecision has the decision made anew, also if it is only under way. It reports whether there was one.
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

// hintsFor is what is known of the hints for an attempt; what is known of an earlier one is forgotten.
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
