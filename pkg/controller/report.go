package controller

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// report tells, once the state is stored, what has happened: the Framework's moves and its events. Moves of
// Tasks are for debugging; there may be ten thousands of them.
func (c *Controller) report(r *record, out lifecycle.Output) {
	for _, m := range out.Moves {
		c.reportMove(r, m)
	}
	for _, e := range out.Events {
		c.event(r, e)
	}
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

func (c *Controller) event(r *record, e lifecycle.Event) {
	c.log.Info("event", "framework", r.key.String(), "reason", e.Reason, "message", e.Message)
	kind := corev1.EventTypeNormal
	if e.Warning {
		kind = corev1.EventTypeWarning
	}
	c.events.Event(r.reference(), kind, e.Reason, e.Message)
}

// warn reports something that the core does not know of.
func (c *Controller) warn(r *record, reason, message string) {
	c.log.Warn("framework needs attention", "framework", r.key.String(), "reason", reason, "message", message)
	c.events.Event(r.reference(), corev1.EventTypeWarning, reason, message)
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

// obstacle says what is in the way of an action, in the terms of a condition.
func obstacle(n result, name string) lifecycle.Obstacle {
	return lifecycle.Obstacle{Reason: obstacleReason(n.err), Message: fmt.Sprintf("%s: %s", describe(n.action, name), n.err)}
}

func obstacleReason(err error) string {
	switch {
	case errors.Is(err, errNameTaken):
		return "NameConflict"
	case apierrors.IsForbidden(err):
		return "Forbidden"
	case apierrors.ReasonForError(err) != "":
		return string(apierrors.ReasonForError(err))
	}
	return "APIServerUnreachable"
}

func describe(a lifecycle.Action, name string) string {
	switch a.(type) {
	case lifecycle.CreateConfigMap:
		return "creating ConfigMap " + name
	case lifecycle.CreatePod:
		return "creating Pod " + name
	case lifecycle.DeleteFramework:
		return "deleting the Framework"
	case lifecycle.DeleteConfigMap, lifecycle.DeletePod:
		return "deleting " + name
	}
	return "reading " + name
}
