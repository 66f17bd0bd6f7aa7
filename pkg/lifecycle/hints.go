package lifecycle

import (
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// HintsView is what is known of how a scheduler wants the attempt's Pods.
type HintsView struct {
	// Answer to AskHints; nil if there is none. An answer for any other scale than the present one is ignored.
	Answer *v1.SchedulerHints
	// Prepared is the scale that PrepareHints has succeeded for; empty if it has not.
	Prepared string
}

// hinted reports whether the Task's Pod may be created as far as the scheduler is concerned. A Task that has had one in
// this attempt does not wait: the scheduler has let it, and the hints that are stored say how. Without this, a rescale that
// is refused would end a gang that runs by the first failure in it.
func (t task) hinted() bool {
	if t.r.in.Asking.Hints && t.r.hints == hintsUnknown {
		t.r.hints = t.r.stepHints()
	}
	if t.r.hints == hintsAnswered {
		t.r.requeue(t.ref())
	}
	return !t.r.in.Asking.Hints || t.r.hints == hintsPrepared || t.r.hints == hintsForgone || t.retried()
}

// retried reports whether the Task had an attempt before, in this attempt of the Framework.
func (t task) retried() bool { return t.status().RetryPolicyStatus.TotalRetriedCount > 0 }

// followScale has the hints follow a rescale that needs no new Pod.
func (r *round) followScale() {
	if r.in.Asking.Hints && r.hints == hintsUnknown && r.status.AttemptStatus.SchedulerHints != nil && !r.completing() {
		r.hints = r.stepHints()
	}
}

// hintsProgress is how far the hints for the present scale are.
type hintsProgress int

const (
	hintsUnknown hintsProgress = iota // not looked at in this round
	hintsMissing
	hintsAnswered // to be stored before they are used (decisions, "Scheduler hints")
	hintsStored
	hintsPrepared
	hintsForgone // the attempt has begun without any, and goes on so
)

func (r *round) stepHints() hintsProgress {
	scale := r.scale()
	if r.begunWithoutHints() {
		return hintsForgone
	}
	stored := r.in.Saved != nil && isFor(scale, r.in.Saved.status.AttemptStatus.SchedulerHints)
	switch {
	case stored && r.in.Observed.Hints.Prepared == scale:
		return hintsPrepared
	case stored:
		r.do(PrepareHints{scale})
		return hintsStored
	case isFor(scale, r.in.Observed.Hints.Answer):
		r.status.AttemptStatus.SchedulerHints = r.in.Observed.Hints.Answer
		r.out.Requeue = true
		return hintsAnswered
	}
	r.do(AskHints{scale})
	return hintsMissing
}

// begunWithoutHints reports whether the attempt had a Pod before anybody was to be asked for hints. It had one under the
// original, for example, or before the plugin was configured. Hints are stored before the first Pod. What a plugin said later would be
// about a gang of which some run already, and what it refused would keep Tasks from their retries.
func (r *round) begunWithoutHints() bool {
	if r.status.AttemptStatus.SchedulerHints != nil {
		return false
	}
	for t := range r.tasks {
		if t.begun() {
			return true
		}
	}
	return false
}

// begun reports whether a Pod was created, or refused, for the Task. One that was scaled down before has ended without.
func (t task) begun() bool {
	s := t.status()
	return s.AttemptStatus.PodUID != nil || t.retried() || t.adoptable() ||
		s.State != v1.AttemptCreationPending && !s.DeletionPending
}

func isFor(scale string, h *v1.SchedulerHints) bool { return h != nil && h.Scale == scale }

// scale is what hints are asked for anew on a change of (v1.SchedulerHints).
func (r *round) scale() string {
	roles := make([]string, 0, len(r.roles))
	for _, role := range r.specRoles() {
		roles = append(roles, fmt.Sprintf("%s=%d", role.name, role.wanted()))
	}
	return strings.Join(roles, ",")
}
