package controller

import (
	"maps"
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// blockers are what is in the way of the Framework's actions, but for what its questions to plugins wait for.
//
// Invariant: when a round is completed, failures are about actions that were asked for when last looked for.
// Invariant: restored does not come back once it is nil: what this process has tried itself counts more.
type blockers struct {
	failures map[string]failedAction // by the name of the object that the action is about
	restored *restoredBlocker        // as stored by the process before; nil if none is, or this one knows better
	// failingRoles are roles of which the last creation of a Pod has failed, with when that was.
	failingRoles map[string]time.Time
	// unresolvable says of which Pods DNS will not know the names that the spec asks for; empty if of none.
	unresolvable string

	// These hold back after a failure, and are shared with the actions in the pool.
	configMaps, pods, others *flowcontrol.Breaker
	companions               *flowcontrol.Breaker // nil before the first of these
}

func newBlockers() blockers {
	return blockers{
		failures: map[string]failedAction{}, failingRoles: map[string]time.Time{},
		configMaps: &flowcontrol.Breaker{}, pods: &flowcontrol.Breaker{}, others: &flowcontrol.Breaker{},
	}
}

// forgetRoles forgets the failures of roles that the spec does not have: edits may name any number of roles, one after the other.
func (b *blockers) forgetRoles(spec *v1.FrameworkSpec) {
	maps.DeleteFunc(b.failingRoles, func(role string, _ time.Time) bool {
		return !slices.ContainsFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == role })
	})
}

// failedAction is an action that fails for a reason that may pass.
type failedAction struct {
	action lifecycle.Action
	err    error
	at     time.Time // when it was met last

	generation int64 // of the spec then
	edited     bool  // it was met before with another spec
}

// restoredBlocker is what was in the way as of the status that the process before has stored.
type restoredBlocker struct {
	lifecycle.Blocker
	at time.Time // when this process took it over
}
