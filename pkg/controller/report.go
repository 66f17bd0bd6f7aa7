package controller

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/go-hclog"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	eventlog "k8s.io/client-go/tools/record"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// reporter reports events: to users by Events and the log, to operators by metrics and counts.
type reporter struct {
	log      hclog.Logger
	observer Observer
	events   func(namespace string) eventlog.EventRecorder
	stop     func() // sending Events
	counts   *counts.StateCounts
	history  *historyWriter
}

func newReporter(clients *apiserver.Clients, o Options, s *apiserver.Server) *reporter {
	ctx, cancel := context.WithCancel(context.Background())
	rep := &reporter{log: o.Log, observer: o.Observer, stop: cancel, counts: counts.New(reason.Waitings())}
	rep.history = &historyWriter{log: o.History, reporter: rep}
	rep.events = apiserver.NewEvents(ctx, clients, s.SteadySince).Of
	return rep
}

// longestMessage keeps a condition or event readable, and within the limit of the API server. Webhooks may send long messages.
const longestMessage = 1024

// report reports a round once its state is stored: moves, events, deletions, and the reason of a wait. Moves of Tasks are logged
// at debug level, as there may be ten thousands of them.
func (rep *reporter) report(r *record, before *lifecycle.State, out lifecycle.Output) {
	rep.recordMetrics(out)
	rep.counts.Apply(&r.reported.counted, out, reasonToWait(out.State), r.schedule.full)
	for _, m := range out.Moves {
		rep.reportMove(r, m)
	}
	for _, e := range out.Events {
		rep.event(r, e)
	}
	rep.reportDeletions(r)
	rep.reportWaiting(r, before, out.State)
	for _, fault := range out.Faults {
		rep.log.Error("a transition was refused that the tables do not have; please report this", "framework", r.key.String(), "fault", fault)
	}
}

func (rep *reporter) reportMove(r *record, m lifecycle.Move) {
	if m.Task == nil {
		rep.log.Info("framework moved", "framework", r.key.String(), "from", m.From, "to", m.To, "row", m.Row)
		return
	}
	if rep.log.IsDebug() {
		rep.log.Debug("task moved", "framework", r.key.String(), "task", m.Task.String(), "from", m.From, "to", m.To, "row", m.Row)
	}
}

// reportWaiting emits the Waiting reason when it has changed: as a Warning event, or as Normal if the wait is intended. The event has
// its facts as annotations.
func (rep *reporter) reportWaiting(r *record, before, after *lifecycle.State) {
	now, then := waitingCondition(after), waitingCondition(before)
	if now == nil || then != nil && then.Reason == now.Reason {
		return
	}
	kind := corev1.EventTypeWarning
	if reason.Waiting(now.Reason).Row().Intended {
		kind = corev1.EventTypeNormal
		rep.log.Info("event", "framework", r.key.String(), "reason", now.Reason, "message", apiserver.ShortText(now.Message, longestLogged))
	} else {
		rep.log.Warn("framework needs attention", "framework", r.key.String(), "reason", now.Reason, "message", apiserver.ShortText(now.Message, longestLogged))
	}
	rep.events(r.key.Namespace).AnnotatedEventf(referenceTo(r), waitingAnnotations(after), kind, now.Reason, "%s", completion.Cut(now.Message, longestMessage))
}

// waitingAnnotations are the facts of an event about a wait: the Task, and its attempt.
func waitingAnnotations(s *lifecycle.State) map[string]string {
	w := s.Framework().Waiting
	if w == nil || w.Index == nil {
		return nil
	}
	ref := lifecycle.TaskRef{Role: w.Role, Index: *w.Index}
	facts := map[string]string{reason.KeyTask: ref.String()}
	if t := s.Task(ref); t != nil {
		facts[reason.KeyAttempt] = strconv.Itoa(int(t.AttemptStatus.ID))
	}
	return facts
}

func (rep *reporter) event(r *record, e lifecycle.Event) {
	rep.log.Info("event", "framework", r.key.String(), "reason", string(e.Reason), "message", apiserver.ShortText(e.Message, longestLogged))
	kind := corev1.EventTypeNormal
	if e.Warning {
		kind = corev1.EventTypeWarning
	}
	rep.events(r.key.Namespace).AnnotatedEventf(referenceTo(r), e.Facts.Annotations(), kind, string(e.Reason), "%s", e.Message)
}

// warnOf reports the parts of an action's answer that concern users: a refusal, and the API server's warnings. Each kind is
// reported once, however many Pods it concerns, and refusals again for each attempt of the Framework and for a corrected spec:
// events do not last.
func (rep *reporter) warnOf(r *record, n result) {
	var refused *refusedError
	if errors.As(n.err, &refused) {
		code := fmt.Sprint(refused.refusal.Code)
		rep.warnOn(r, warning(reason.PodRefused, n.facts(), fmt.Sprintf("creating Pod %s: %s", r.nameOf(n.action), refused)), code, occasionOf(r))
	}
	for _, text := range n.warnings {
		name := r.nameOf(n.action)
		if _, ok := claimOf(n.action); !ok {
			name = "Pod " + name
		}
		rep.warnOn(r, warning(reason.PodWarning, n.facts(), fmt.Sprintf("creating %s: %s", name, text)), text, "")
	}
}

// facts returns the facts about the Task whose Pod the action concerns.
func (n result) facts() (f reason.Facts) {
	if ref, ok := taskOf(n.action); ok {
		f.Tasks = []string{ref.String()}
	}
	return f
}

// occasionOf is the Framework's attempt, and the spec from which its Pods are built.
func occasionOf(r *record) string {
	attempt := int32(-1)
	if r.status.saved != nil {
		attempt = r.status.saved.Framework().AttemptStatus.ID
	}
	return fmt.Sprintf("%d/%d", attempt, r.framework.Generation)
}

// longestLogged bounds the part of a foreign text in one line of the log. The history has it whole.
const longestLogged = 4 << 10

func warning(why reason.Event, facts reason.Facts, message string) lifecycle.Event {
	return lifecycle.Event{Warning: true, Reason: why, Facts: facts, Message: message}
}

// warn reports something that the core does not know of.
func (rep *reporter) warn(r *record, e lifecycle.Event) {
	rep.log.Warn("framework needs attention", "framework", r.key.String(), "reason", string(e.Reason), "message", apiserver.ShortText(e.Message, longestLogged))
	rep.events(r.key.Namespace).AnnotatedEventf(referenceTo(r), e.Facts.Annotations(), corev1.EventTypeWarning, string(e.Reason), "%s", completion.Cut(e.Message, longestMessage))
}

func referenceTo(r *record) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: v1.SchemeGroupVersion.String(),
		Kind:       v1.FrameworkKind,
		Namespace:  r.key.Namespace,
		Name:       r.key.Name,
		UID:        r.uid,
	}
}

// recordMetrics counts the attempts that have completed and begun with these moves, which are stored.
func (rep *reporter) recordMetrics(out lifecycle.Output) {
	for i := range out.Moves {
		m := &out.Moves[i]
		switch {
		case m.To == v1.AttemptCompleted:
			rep.recordCompletion(out.State, m)
		case m.Row == lifecycle.RowTaskRetried:
			rep.observer.Retried(OfTask, accountable[m.Retry])
		case m.Row == lifecycle.RowFrameworkRetried:
			rep.observer.Retried(OfFramework, accountable[m.Retry])
		}
	}
	for _, n := range out.NodesAvoided {
		rep.observer.NodeAvoided(n.Source != nil)
	}
	if needed := len(out.NodesNeeded); needed > 0 {
		rep.observer.NodesNeeded(needed)
	}
}

func (rep *reporter) recordCompletion(s *lifecycle.State, m *lifecycle.Move) {
	if m.Task == nil {
		if how := s.Framework().AttemptStatus.CompletionStatus; how != nil {
			rep.observer.AttemptCompleted(OfFramework, &how.CompletionStatus)
		}
		return
	}
	if t := s.Task(*m.Task); t != nil && t.AttemptStatus.CompletionStatus != nil {
		rep.observer.AttemptCompleted(OfTask, &t.AttemptStatus.CompletionStatus.CompletionStatus)
	}
}

// accountable are the rows of the retry table whose retries count against maxRetryCount.
var accountable = func() map[retry.RowID]bool {
	rows := map[retry.RowID]bool{}
	for _, row := range retry.Table() {
		rows[row.ID] = row.Accountable
	}
	return rows
}()

// warnOnce warns at most once for each reason and what.
func (rep *reporter) warnOnce(r *record, why reason.Event, what, message string) {
	rep.warnOn(r, warning(why, reason.Facts{}, message), what, "")
}

// warnOn warns at most once for each reason and what on each occasion.
func (rep *reporter) warnOn(r *record, e lifecycle.Event, what, occasion string) {
	first, last := r.reported.warned.isFirst(e.Reason, what, occasion)
	if first {
		rep.warn(r, e)
	}
	if last {
		rep.warn(r, warning(e.Reason, reason.Facts{}, "further warnings of this kind are suppressed"))
	}
}

// warnOfHints reports the warnings of the scheduler's plugin, each once for each attempt.
func (rep *reporter) warnOfHints(r *record, hints *v1.SchedulerHints) {
	decoded, err := consult.DecodeHints(hints)
	if err != nil {
		return // it is reported when they are used
	}
	for _, message := range decoded.Warnings {
		attempt := r.status.saved.Framework().AttemptStatus.ID
		rep.warnOn(r, warning(reason.HintsWarning, reason.Facts{}.OfAttempt(attempt), message), message, fmt.Sprint(attempt))
	}
}

// warnOfSkipped reports plugins without which something was decided.
func (rep *reporter) warnOfSkipped(r *record, s skippedPlugins, what string) {
	for plugin, why := range s {
		rep.warnOnce(r, reason.PluginSkipped, plugin+what+heldBack(why), fmt.Sprintf("%s was decided without plugin %s, %s", what, plugin, whySkipped(why)))
	}
}

// heldBack distinguishes a plugin that is not asked for a while from one that does not answer: both are reported.
func heldBack(why error) string {
	if consult.IsHeldBack(why) {
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

// reported is what was reported about the Framework to users, the history and the counts, and what is still to be reported.
//
// Invariant: early grows only before the Framework is read, and is empty in a round that decides. Invariant: logged is nil after
// a completed round: its drops are not decided again.
type reported struct {
	warned  warned               // warnings that its users have had
	logged  map[dropped]bool     // drops in the history since a status was last stored
	early   []*podview.CachedPod // Pods that went before the Framework was read, for the history
	deleted *metav1.ObjectMeta   // the Framework, when its deletion was watched; nil before
	gone    bool                 // the watch no longer shows the Framework, and this was reported
	// podsGoneSince is since when the watch shows no Pod of a Framework that is gone; zero if it shows one, or was not
	// looked at.
	podsGoneSince time.Time
	counted       counts.Counted
	deletions     []reason.Deleted // to be reported by the next round, each with another reason; at most mostDeletions
}

// dropped is a stored object that the next state no longer has. The zero value is the Framework itself.
type dropped struct {
	row      string            // the row of the move that drops it
	task     lifecycle.TaskRef // empty for an attempt of the Framework
	instance string            // UID of the Task
	attempt  int32
}

// isFirstReport notes that the history has something, and reports whether it did not since a status was stored last.
// While the storage takes nothing, the same is decided in every round, for hours maybe.
func (p *reported) isFirstReport(d dropped) bool {
	if p.logged[d] {
		return false
	}
	if p.logged == nil {
		p.logged = map[dropped]bool{}
	}
	p.logged[d] = true
	return true
}

// drops returns the object that a move drops; ok is false if it drops none.
func (s *savedStatus) drops(m lifecycle.Move) (d dropped, ok bool) {
	switch m.Row {
	case lifecycle.RowTaskRetried, lifecycle.RowTaskRemoved:
		t := s.saved.Task(*m.Task)
		return dropped{m.Row, *m.Task, t.InstanceUID, t.AttemptStatus.ID}, true
	case lifecycle.RowFrameworkRetried:
		return dropped{row: m.Row, attempt: s.saved.Framework().AttemptStatus.ID}, true
	}
	return dropped{}, false
}

// mostWarnings is how many different warnings of one reason are reported and remembered for a Framework: a template can cause another
// warning for each Task, and each edit of a spec others. Each reason has its own bound.
const mostWarnings = 100

// warned are the warnings that were reported, by reason and subject, with the last occasion.
type warned map[reason.Event]map[string]string

// isFirst records a warning, and reports whether it is to be emitted: users have not had it on this occasion, and its reason has
// not reached the bound. Only the last occasion is remembered. last is true if no further warning of this reason will be emitted.
func (w warned) isFirst(why reason.Event, what, occasion string) (first, last bool) {
	what, occasion = completion.Cut(what, longestMessage), completion.Cut(occasion, longestMessage)
	before, known := w[why][what]
	if known && before == occasion || !known && len(w[why]) >= mostWarnings {
		return false, false
	}
	if w[why] == nil {
		w[why] = map[string]string{}
	}
	w[why][what] = occasion
	return true, !known && len(w[why]) == mostWarnings
}

// StateCounts returns how many Frameworks and Tasks are in each state. It costs the same however many there are.
func (c *Controller) StateCounts() []counts.ByState { return c.reporter.counts.States() }

// Waiting returns how many Frameworks wait, for each reason. It costs the same however many there are.
func (c *Controller) Waiting() []counts.ByReason { return c.reporter.counts.Waiting() }
