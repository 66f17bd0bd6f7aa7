package controller

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// result is what became of an action.
type result struct {
	action lifecycle.Action
	// framework is the UID of the Framework that it was for.
	framework types.UID
	// object is what was created, or what holds the name; nil if nothing does or it was not asked.
	object metav1.Object
	// deletedUID is of an object that does not exist for certain; empty if none was found missing.
	deletedUID types.UID
	// accepted: the API server has taken the request to delete the object, which existed until then.
	accepted bool
	// warnings that the API server gave.
	warnings []string
	// probe: others have waited for its answer.
	probe bool
	err   error
}

var (
	// errHeldBack: not tried, because another action of the Framework has just failed, or it came too late.
	errHeldBack = errors.New("not tried")
	// errNameTaken: another object holds the name.
	errNameTaken = errors.New("the name is taken")
	// errStillThere: an object whose deletion was accepted has not gone yet.
	errStillThere = errors.New("the object has not gone yet")
)

// undecided reports whether it is not known if the action has taken effect.
func (n result) undecided() bool {
	return n.transient() && !declined(n.err) && !errors.Is(n.err, errNameTaken)
}

// transient reports whether the action failed for a reason that may pass.
func (n result) transient() bool {
	var refused *refusedError
	return n.err != nil && !errors.As(n.err, &refused) && !errors.Is(n.err, errHeldBack)
}

// ofItsObject reports whether the action failed for a reason that concerns no other: the API server has looked at quotas
// and webhooks before it finds a name taken, and has answered well about what has not gone yet.
func (n result) ofItsObject() bool {
	return errors.Is(n.err, errNameTaken) || errors.Is(n.err, errStillThere)
}

// aboutOthers says what the result, which took so long, shows about other requests of its kind.
func (n result) aboutOthers(took time.Duration) flowcontrol.Outcome {
	switch {
	case n.err == nil:
		return flowcontrol.Success
	case n.outcome() == Refused:
		return flowcontrol.Refusal(took)
	case !n.transient():
		return flowcontrol.Unrelated
	case n.ofItsObject():
		return flowcontrol.LoneFailure
	}
	return flowcontrol.Failure
}

// shows reports whether a result about its name shows that an object has gone.
func (n result) shows(gone metav1.Object) bool {
	_, read := n.action.(lifecycle.ReadPod)
	missing := read && n.err == nil && n.object == nil
	return missing || n.deletedUID == gone.GetUID() || n.object != nil && n.object.GetUID() != gone.GetUID()
}

// outcome says what became of an action.
func (n result) outcome() Outcome {
	var refused *refusedError
	switch {
	case n.err == nil, errors.Is(n.err, errStillThere):
		return Done
	case errors.As(n.err, &refused):
		return Refused
	}
	return Failed
}

// refusedError is an error that trying again would not change.
type refusedError struct {
	refusal lifecycle.Refusal
	cause   error
}

func (e *refusedError) Error() string { return e.cause.Error() }
