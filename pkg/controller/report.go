package controller

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// report tells, once the state is stored, what has happened: the Framework's moves and its events. Moves of
// Tasks are for debugging; there may be ten thousands of them.
func (c *Controller) report(r *record, before *lifecycle.State, out lifecycle.Output) {
	c.tellMoves(out)
	c.census.follow(&r.reported.counted, out, r.schedule.full)
	for _, m := range out.Moves {
		c.reportMove(r, m)
	}
	for _, e := range out.Events {
		c.event(r, e)
	}
	c.reportWaiting(r, before, out.State)
	for _, fault := range out.Faults {
		c.log.Error("a transition was refused that the tables do not have; please report this", "framework", r.key.String(), "fault", fault)
	}
}

func (c *Controller) reportMove(r *record, m lifecycle.Move) {
	if m.Task == nil {
		c.log.Info("framework moved", "framework", r.key.String(), "from", m.From, "to", m.To, "row", m.Row)
		return
	}
	if c.log.IsDebug() {
		c.log.Debug("task moved", "framework", r.key.String(), "task", m.Task.String(), "from", m.From, "to", m.To, "row", m.Row)
	}
}

// reportWaiting tells what is waited for, each time that this begins or is something else.
func (c *Controller) reportWaiting(r *record, before, after *lifecycle.State) {
	if now := waiting(after); now != nil && (waiting(before) == nil || waiting(before).Reason != now.Reason) {
		c.warn(r, now.Reason, now.Message)
	}
}

// waiting returns the condition that says what a Framework waits for; nil if it waits for nothing.
func waiting(s *lifecycle.State) *metav1.Condition {
	if s == nil || !meta.IsStatusConditionTrue(s.Framework().Conditions, v1.ConditionWaiting) {
		return nil
	}
	return meta.FindStatusCondition(s.Framework().Conditions, v1.ConditionWaiting)
}

func (c *Controller) event(r *record, e lifecycle.Event) {
	c.log.Info("event", "framework", r.key.String(), "reason", e.Reason, "message", cutAndTold(e.Message, longestLogged))
	kind := corev1.EventTypeNormal
	if e.Warning {
		kind = corev1.EventTypeWarning
	}
	c.events(r.key.Namespace).Event(r.reference(), kind, e.Reason, e.Message)
}

// warnOf reports what an action's answer has for users: a refusal, and the API server's warnings. Each kind is
// reported once, however many Pods it concerns, and refusals anew for each attempt of the Framework and for a spec that
// was corrected: events do not last.
func (c *Controller) warnOf(r *record, n result) {
	var refused *refusedError
	if errors.As(n.err, &refused) {
		code := fmt.Sprint(refused.refusal.Code)
		c.warnOn(r, "PodRefused", code, r.occasion(), fmt.Sprintf("creating Pod %s: %s", r.nameOf(n.action), refused))
	}
	for _, text := range n.warnings {
		c.warnOnce(r, "PodWarning", text, fmt.Sprintf("creating Pod %s: %s", r.nameOf(n.action), text))
	}
}

// occasion is the Framework's attempt, and the spec that its Pods are made from.
func (r *record) occasion() string {
	attempt := int32(-1)
	if r.status.saved != nil {
		attempt = r.status.saved.Framework().AttemptStatus.ID
	}
	return fmt.Sprintf("%d/%d", attempt, r.framework.Generation)
}

// longestLogged is how much of a text of others one line of the log has. The history is told whole.
const longestLogged = 4 << 10

// warn reports something that the core does not know of.
func (c *Controller) warn(r *record, reason, message string) {
	c.log.Warn("framework needs attention", "framework", r.key.String(), "reason", reason, "message", cutAndTold(message, longestLogged))
	c.events(r.key.Namespace).Event(r.reference(), corev1.EventTypeWarning, reason, cut(message, longestMessage))
}

func (r *record) reference() *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: v1.SchemeGroupVersion.String(),
		Kind:       v1.FrameworkKind,
		Namespace:  r.key.Namespace,
		Name:       r.key.Name,
		UID:        r.uid,
	}
}
