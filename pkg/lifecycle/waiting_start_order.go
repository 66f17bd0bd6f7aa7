package lifecycle

import (
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
)

// startBlocked says what keeps a role from ever starting, unless somebody changes something; ok is false if nothing does.
func (r *round) startBlocked() (what Blocker, ok bool) {
	if !r.live() || r.status.Gates == nil {
		return Blocker{}, false
	}
	for _, role := range r.specRoles() {
		if !r.status.Gates.Closed(role.spec) {
			continue
		}
		if circle := gates.Circle(r.in.Framework.Spec, role.name); circle != nil {
			return Blocker{Reason: ReasonStartBlocked, Message: circleText(circle)}, true
		}
		if !r.heldBack(role) {
			continue
		}
		for _, s := range role.spec.StartAfter {
			other := r.roleNamed(s.Role)
			if s.Needs() == v1.StartSucceeded && other != nil && other.spec != nil && !other.reached(v1.StartSucceeded) {
				if why := other.neverSucceeds(); why != "" {
					return Blocker{Reason: ReasonStartBlocked, Message: fmt.Sprintf("role %s has no Pods: it starts after role %s has succeeded, and %s", role.name, other.name, why)}, true
				}
			}
		}
	}
	return Blocker{}, false
}

// neverSucceeds says why not all Tasks of a role will succeed in this attempt; empty if they may.
func (d *roleDraft) neverSucceeds() string {
	switch {
	case d.tally.failed > 0:
		return "a Task of that has failed for good; raise its maxRetryCount for the next attempt, lower its taskNumber, or take it out of startAfter"
	case d.spec.Task.RetryPolicy.MaxRetryCount == v1.RetryAlways:
		return "its Tasks start again after each success, as their maxRetryCount is -2; change that, or take it out of startAfter"
	}
	return ""
}

// startsLater says whose Pods are not created yet in the ordinary course of things; ok is false if there are none.
func (r *round) startsLater() (what Blocker, ok bool) {
	if !r.live() || r.status.Gates == nil {
		return Blocker{}, false
	}
	for _, role := range r.specRoles() {
		if r.heldBack(role) && role.wanted() > 0 {
			return Blocker{Reason: ReasonStartsLater, Message: fmt.Sprintf("role %s has no Pods yet: it starts after %s", role.name, r.awaited(role))}, true
		}
	}
	return Blocker{}, false
}

// awaited says what keeps a role that is held back.
func (r *round) awaited(role *roleDraft) string {
	var what []string
	for _, s := range role.spec.StartAfter {
		other := r.roleNamed(s.Role)
		switch {
		case other == nil || other.spec == nil:
		case s.Needs() == v1.StartSucceeded && !other.reached(v1.StartSucceeded):
			what = append(what, fmt.Sprintf("role %s has succeeded", other.name))
		case s.Needs() != v1.StartSucceeded && r.heldBack(other):
			what = append(what, fmt.Sprintf("role %s, which has none yet either", other.name))
		}
	}
	return strings.Join(what, ", and ")
}

func circleText(circle []string) string {
	var links []string
	for i, name := range circle {
		links = append(links, fmt.Sprintf("%s after %s", name, circle[(i+1)%len(circle)]))
	}
	const most = 10
	if len(links) > most {
		links = append(links[:most], "and so on")
	}
	return fmt.Sprintf("roles start after each other in a circle, so none of them ever starts: %s; take one of these out of taskRoles[].startAfter", strings.Join(links, ", "))
}
