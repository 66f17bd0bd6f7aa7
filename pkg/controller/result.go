package controller

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// result is the outcome of an action.
type result struct {
	action lifecycle.Action
	// framework is the UID of the Framework of the action.
	framework types.UID
	// object is the created object, or the holder of the name; nil if there is none or it was not looked up.
	object metav1.Object
	// deletedUID is the UID of an object that is certainly gone; empty if none was found missing.
	deletedUID types.UID
	// accepted: the API server has accepted the request to delete the object, which existed until then.
	accepted bool
	// items that were read; nil if none were.
	items *itemsRead
	// warnings of the API server.
	warnings []string
	// probe: other actions have waited for its answer.
	probe bool
	err   error
}

var (
	// errHeldBack: not tried, because another action of the Framework has just failed, or it came too late.
	errHeldBack = errors.New("not tried")
	// errNameTaken: another object holds the name.
	errNameTaken = errors.New("the name is taken")
	// errStillThere: an object whose deletion was accepted still exists.
	errStillThere = errors.New("the object still exists")
)

// undecided reports whether it is unknown if the action has taken effect.
func (n result) undecided() bool {
	return n.transient() && !declined(n.err) && !errors.Is(n.err, errNameTaken)
}

// transient reports whether the action failed for a temporary reason.
func (n result) transient() bool {
	var refused *refusedError
	return n.err != nil && !errors.As(n.err, &refused) && !errors.Is(n.err, errHeldBack)
}

// ofItsObject reports whether the action failed for a reason that concerns no other object: the API server checks quotas and
// webhooks before it finds a name taken, and it has answered properly about an object that still exists.
func (n result) ofItsObject() bool {
	return errors.Is(n.err, errNameTaken) || errors.Is(n.err, errStillThere)
}

// aboutOthers classifies the result for the breaker: does it predict the outcome of similar requests?
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

// shows reports whether a result about its name shows that an object is gone.
func (n result) shows(gone metav1.Object) bool {
	_, read := n.action.(lifecycle.ReadPod)
	missing := read && n.err == nil && n.object == nil
	return missing || n.deletedUID == gone.GetUID() || n.object != nil && n.object.GetUID() != gone.GetUID()
}

// outcome classifies the result of an action.
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

// refusedError is an error that another try would not change.
type refusedError struct {
	refusal lifecycle.Refusal
	cause   error
}

func (e *refusedError) Error() string { return e.cause.Error() }
