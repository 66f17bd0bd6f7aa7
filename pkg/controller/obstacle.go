package controller

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// obstacle is an action that fails for a reason that may pass.
type obstacle struct {
	action lifecycle.Action
	err    error
}

// weigh notes what is in the way of an action, or that nothing is any more.
func (c *Controller) weigh(r *record, n result) {
	name := r.nameOf(n.action)
	switch {
	case errors.Is(n.err, errHeldBack), errors.Is(n.err, errStillThere):
	case !n.transient():
		delete(r.obstacles, name)
	case errors.Is(n.err, errNameTaken) && r.controls(n.object):
		// An earlier attempt's object, or our own of which we did not hear: the next round sees to it.
	default:
		r.obstacles[name] = obstacle{n.action, n.err}
		c.log.Debug("action failed", "framework", r.key.String(), "action", n.action.String(), "error", n.err)
	}
}

// obstaclesInTheWay lists the obstacles that still are ones, in a fixed order, and forgets the others.
func (r *record) obstaclesInTheWay() []lifecycle.Obstacle {
	var found []lifecycle.Obstacle
	for name, o := range r.obstacles {
		if !r.stillWanted(o.action) {
			delete(r.obstacles, name)
			continue
		}
		found = append(found, lifecycle.Obstacle{Reason: o.reason(), Message: fmt.Sprintf("%s: %s", describe(o.action, name), o.err)})
	}
	slices.SortFunc(found, func(a, b lifecycle.Obstacle) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	return found
}

// stillWanted reports whether the stored state may still call for an action: the Framework may have been stopped,
// or the Task removed, while the action failed.
func (r *record) stillWanted(a lifecycle.Action) bool {
	if r.saved == nil {
		return false
	}
	switch a := a.(type) {
	case lifecycle.CreateConfigMap:
		return r.saved.Framework().State == v1.AttemptCreationPending
	case lifecycle.CreatePod:
		t := r.saved.Task(a.Task)
		return t != nil && t.State == v1.AttemptCreationPending && t.InstanceUID == a.TaskUID && t.AttemptStatus.ID == a.AttemptID
	case lifecycle.DeleteFramework:
		return true
	}
	return r.saved.Framework().State != v1.Completed
}

// controls reports whether the Framework controls an object, directly or through its ConfigMap.
func (r *record) controls(o metav1.Object) bool {
	if o == nil {
		return false
	}
	controller := metav1.GetControllerOf(o)
	return controller != nil && (controller.UID == r.uid || controller.UID == r.configMapUID())
}

// reason names the obstacle in one word.
func (o obstacle) reason() string {
	switch {
	case errors.Is(o.err, errNameTaken):
		return "NameConflict"
	case apierrors.ReasonForError(o.err) != metav1.StatusReasonUnknown:
		return string(apierrors.ReasonForError(o.err))
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
	case lifecycle.DeleteConfigMap:
		return "deleting ConfigMap " + name
	case lifecycle.DeletePod:
		return "deleting Pod " + name
	}
	return "reading " + name
}
