package controller

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// longestMessage keeps a condition or event readable, and within what the API server accepts. Webhooks may say much.
const longestMessage = 1024

// report tells, once the state is stored, what has happened: the Framework's moves and its events. Moves of
// Tasks are for debugging; there may be ten thousands of them.
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

// reportWaiting tells what is waited for, each time that this begins or is something else.
func (rep *reporter) reportWaiting(r *record, before, after *lifecycle.State) {
	if now := waiting(after); now != nil && (waiting(before) == nil || waiting(before).Reason != now.Reason) {
		rep.tellWaiting(r, now)
	}
}

// tellWaiting tells as a warning what is waited for, unless that is how it is to be.
func (rep *reporter) tellWaiting(r *record, c *metav1.Condition) {
	if c.Reason == lifecycle.ReasonStartsLater {
		rep.event(r, lifecycle.Event{Reason: c.Reason, Message: c.Message})
		return
	}
	rep.warn(r, c.Reason, c.Message)
}

func (rep *reporter) event(r *record, e lifecycle.Event) {
	rep.log.Info("event", "framework", r.key.String(), "reason", e.Reason, "message", apiserver.ShortText(e.Message, longestLogged))
	kind := corev1.EventTypeNormal
	if e.Warning {
		kind = corev1.EventTypeWarning
	}
	rep.events(r.key.Namespace).Event(referenceTo(r), kind, e.Reason, e.Message)
}

// warnOf reports what an action's answer has for users: a refusal, and the API server's warnings. Each kind is
// reported once, however many Pods it concerns, and refusals anew for each attempt of the Framework and for a spec that
// was corrected: events do not last.
func (rep *reporter) warnOf(r *record, n result) {
	var refused *refusedError
	if errors.As(n.err, &refused) {
		code := fmt.Sprint(refused.refusal.Code)
		rep.warnOn(r, "PodRefused", code, occasionOf(r), fmt.Sprintf("creating Pod %s: %s", r.nameOf(n.action), refused))
	}
	for _, text := range n.warnings {
		rep.warnOnce(r, "PodWarning", text, fmt.Sprintf("creating Pod %s: %s", r.nameOf(n.action), text))
	}
}

// occasionOf is the Framework's attempt, and the spec that its Pods are made from.
func occasionOf(r *record) string {
	attempt := int32(-1)
	if r.status.saved != nil {
		attempt = r.status.saved.Framework().AttemptStatus.ID
	}
	return fmt.Sprintf("%d/%d", attempt, r.framework.Generation)
}

// longestLogged is how much of a text of others one line of the log has. The history is told whole.
const longestLogged = 4 << 10

// warn reports something that the core does not know of.
func (rep *reporter) warn(r *record, reason, message string) {
	rep.log.Warn("framework needs attention", "framework", r.key.String(), "reason", reason, "message", apiserver.ShortText(message, longestLogged))
	rep.events(r.key.Namespace).Event(referenceTo(r), corev1.EventTypeWarning, reason, completion.Cut(message, longestMessage))
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

// recordMetrics tells the observer of the attempts that have completed and begun with these moves, which are stored.
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
var accountable = func() map[string]bool {
	rows := map[string]bool{}
	for _, row := range lifecycle.RetryTable() {
		rows[row.ID] = row.Accountable
	}
	return rows
}()

// warnOnce is warn for what would otherwise be said again and again.
func (rep *reporter) warnOnce(r *record, reason, what, message string) {
	rep.warnOn(r, reason, what, "", message)
}

// warnOn is warn for what is to be said once on each occasion.
func (rep *reporter) warnOn(r *record, reason, what, occasion, message string) {
	first, last := r.reported.warned.isFirst(reason, what, occasion)
	if first {
		rep.warn(r, reason, message)
	}
	if last {
		rep.warn(r, reason, "there may be more of this, of which nothing is told any more")
	}
}

// warnOfHints tells a Framework's users what the plugin of its scheduler has to say to them, once for each attempt.
func (rep *reporter) warnOfHints(r *record, hints *v1.SchedulerHints) {
	for _, message := range consult.Warnings(hints) {
		rep.warnOn(r, "HintsWarning", message, fmt.Sprint(r.status.saved.Framework().AttemptStatus.ID), message)
	}
}

// warnOfSkipped tells a Framework's users of plugins without which something was decided.
func (rep *reporter) warnOfSkipped(r *record, s skippedPlugins, what string) {
	for plugin, why := range s {
		rep.warnOnce(r, "PluginSkipped", plugin+what+heldBack(why), fmt.Sprintf("%s was decided without plugin %s, %s", what, plugin, whySkipped(why)))
	}
}
