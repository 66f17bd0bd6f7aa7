package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// askAgainAfter is how long a question waits that could not be answered.
const askAgainAfter = 2 * time.Second

// questions are what is known of a Framework from plugins, and what they are being asked. None of it is needed after a
// restart: what counts is in the status, and everything else is asked again.
type questions struct {
	open     map[lifecycle.Action]bool // those under way
	waiting  map[any]waitingQuestion   // by topic
	verdicts map[lifecycle.TaskRef]*lifecycle.Verdict
	earlier  map[lifecycle.TaskRef]earlierVerdicts
	finished map[lifecycle.TaskRef]time.Time // when Tasks completed, more exactly than the status says
	decision *lifecycle.Decision
	decided  *lifecycle.Decision // the last that a plugin has made; nil if none has
	lacking  bool                // a plugin that does not answer had no part in the decision: it is to be asked again
	outdated bool                // the decision that is under way is by policies that have changed meanwhile
	hints    lifecycle.HintsView
	hintsOf  int32 // the attempt that hints are for
	// the attempt and the scale whose hints' objects were made last; empty if none were
	hintsMade string
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
		open:     map[lifecycle.Action]bool{},
		waiting:  map[any]waitingQuestion{},
		verdicts: map[lifecycle.TaskRef]*lifecycle.Verdict{},
		earlier:  map[lifecycle.TaskRef]earlierVerdicts{},
		finished: map[lifecycle.TaskRef]time.Time{},
	}
}

// isQuestion reports whether an action is answered by plugins, and not by the API server.
func isQuestion(a lifecycle.Action) bool {
	switch a.(type) {
	case lifecycle.ClassifyPod, lifecycle.DecideCompletion, lifecycle.AskHints, lifecycle.PrepareHints:
		return true
	}
	return false
}

// asker has questions answered by plugins. The answers come back as events.
type asker struct {
	panel    *consult.Panel // nil if there are no plugins
	clients  *Clients
	watches  *watches
	reporter *reporter
	enqueue  func(cache.ObjectName, event)
	log      hclog.Logger
	now      func() time.Time

	underWay sync.WaitGroup  // questions
	ctx      context.Context // of them; ends when the controller stops
}

// askable returns the questions among the actions that are not under way, and need not be waited with.
func (q *questions) askable(actions []lifecycle.Action) []lifecycle.Action {
	var out []lifecycle.Action
	deciding := q.deciding()
	for _, a := range actions {
		if _, decision := a.(lifecycle.DecideCompletion); decision && deciding {
			continue // the answer causes a round, which asks what there is to ask by then
		}
		if w := q.waiting[topic(a)]; isQuestion(a) && !q.open[a] && (w.question != a || w.again) {
			out = append(out, a)
		}
	}
	return out
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

// topic is what an action is about. A question takes the place of an earlier one with the same topic: nobody needs
// the answer to that any more.
func topic(a lifecycle.Action) any {
	switch a.(type) {
	case lifecycle.DecideCompletion:
		return "completion"
	case lifecycle.AskHints, lifecycle.PrepareHints:
		return "hints"
	}
	return a
}

// answer is what became of questions.
type answer struct {
	framework types.UID // that they were about
	questions []lifecycle.Action
	// enter notes the answers in the record.
	enter func(*record)
}

func (answer) isEvent() {}

// askAll begins to have the questions answered. Failed Pods are judged together, and everything else by itself.
func (k *asker) askAll(r *record, asked []lifecycle.Action) {
	var pods []lifecycle.ClassifyPod
	for _, a := range asked {
		switch a := a.(type) {
		case lifecycle.ClassifyPod:
			pods = append(pods, a)
		case lifecycle.DecideCompletion:
			k.ask(r, k.decide(r, a), a)
		case lifecycle.AskHints:
			k.ask(r, k.askHints(r, a), a)
		case lifecycle.PrepareHints:
			k.ask(r, k.prepareHints(r, a), a)
		}
	}
	if len(pods) > 0 {
		k.classifyAll(r, pods)
	}
}

// skips collects the plugins without which questions were answered.
type skips map[string]error

func (s skips) add(plugin string, why error) { s[plugin] = why }

// faulty reports whether a plugin was left out because it does not answer. One that refuses would do so again.
func (s skips) faulty() bool {
	for plugin := range s {
		if s.isFaulty(plugin) {
			return true
		}
	}
	return false
}

// isFaulty reports whether that plugin was left out because it does not answer.
func (s skips) isFaulty(plugin string) bool {
	why, left := s[plugin]
	return left && !errors.As(why, new(*consult.Refusal))
}

// warnOfSkipped tells a Framework's users of plugins without which something was decided.
func (rep *reporter) warnOfSkipped(r *record, s skips, what string) {
	for plugin, why := range s {
		rep.warnOnce(r, "PluginSkipped", plugin+what+heldBack(why), fmt.Sprintf("%s was decided without plugin %s, %s", what, plugin, whySkipped(why)))
	}
}

// heldBack tells a plugin that is not asked any more for a while from one that does not answer: users are told of both.
func heldBack(why error) string {
	if fault := new(pluginhost.Fault); errors.As(why, &fault) && fault.Kind == pluginhost.CircuitOpened {
		return " for a while"
	}
	return ""
}

func whySkipped(why error) string {
	if refusal := new(consult.Refusal); errors.As(why, &refusal) {
		return "which refuses: " + refusal.Reason
	}
	return "which does not answer: " + why.Error()
}

// inquiry finds out answers. It must not touch the record; what it returns enters them.
type inquiry func(context.Context) (enter func(*record))

func (k *asker) ask(r *record, find inquiry, asked ...lifecycle.Action) {
	for _, a := range asked {
		r.questions.open[a] = true
	}
	key, uid := r.key, r.uid
	k.underWay.Go(func() {
		k.enqueue(key, answer{uid, asked, k.findGuarded(key, find, asked)})
	})
}

// findGuarded lets a bug that a question brings to light, such as by what a plugin has answered, count as a question that
// could not be answered.
func (k *asker) findGuarded(key cache.ObjectName, find inquiry, asked []lifecycle.Action) (enter func(*record)) {
	defer func() {
		if cause := recover(); cause != nil {
			err := panicked(k.log, key, cause)
			enter = func(r *record) {
				for _, a := range asked {
					k.postpone(r, a, err)
				}
			}
		}
	}()
	return find(k.ctx)
}

func (r *record) handleAnswer(n answer) {
	if n.framework != r.uid {
		return
	}
	for _, a := range n.questions {
		delete(r.questions.open, a)
		delete(r.questions.waiting, topic(a))
		r.dropRestored(a)
	}
	n.enter(r)
}

// postpone notes that a question cannot be answered now, and has it asked again after a while.
func (k *asker) postpone(r *record, a lifecycle.Action, err error) {
	r.questions.waiting[topic(a)] = waitingQuestion{question: a, why: err}
	pause := askAgainAfter
	if later := new(notYet); errors.As(err, &later) {
		pause = later.after
	}
	r.schedule.retryNotAfter(k.now().Add(pause))
	r.schedule.lookAtAll() // the condition says so
	k.log.Debug("a plugin is waited for", "framework", r.key.String(), "question", a.String(), "error", err)
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

// blockedBy are the reasons for which questions wait.
func (q *questions) blockedBy() []lifecycle.Obstacle {
	found := map[lifecycle.Obstacle]bool{}
	for _, w := range q.waiting {
		found[lifecycle.Obstacle{Reason: waitingReason(w.why), Message: cut(w.why.Error(), longestMessage)}] = true
	}
	return slices.Collect(maps.Keys(found))
}

// Reasons for which questions wait.
const (
	pluginUnavailable  = "PluginUnavailable"
	pluginRefused      = "PluginRefused"
	hintsRefused       = "HintsRefused"
	hintsObjectsFailed = "HintsObjectsFailed"
	schedulerNotReady  = "SchedulerNotReady"
)

// waitingReason says that the plugin is unavailable also of what nobody expects, such as stored hints that make no sense.
func waitingReason(err error) string {
	var refusal *consult.Refusal
	var notMade *unmade
	var later *notYet
	switch {
	case errors.As(err, &refusal) && refusal.Kind == pluginhost.SchedulerHints:
		return hintsRefused
	case errors.As(err, &refusal):
		return pluginRefused
	case errors.As(err, &notMade):
		return hintsObjectsFailed
	case errors.As(err, &later):
		return schedulerNotReady
	}
	return pluginUnavailable
}

func (r *record) uses() []v1.PluginUse { return r.framework.Spec.Plugins }
