package lifecycle

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// HintsView is the knowledge about a scheduler's hints for the attempt's Pods.
type HintsView struct {
	// Answer to AskHints; nil if there is none. An answer for another scale than the current one is ignored.
	Answer *v1.SchedulerHints
	// Prepared is the scale for which PrepareHints has succeeded; empty if it has not, or if the hints were outdated at that time
	// (State.HintsOutdated): once it is set, Pods may be under way.
	Prepared string
	// Admission is the scheduler's answer at that time; empty if none of it needs to be stored.
	Admission []byte
	// FollowTasks: the stored answer also depends on the Tasks that have not completed, so that completions lead to another
	// question.
	FollowTasks bool
	// FollowStart: there is another question when all Tasks in the scale run.
	FollowStart bool
	// Changed: the scheduler's answer about the admission may have changed. It is asked again.
	Changed bool
	// Eviction is set if the scheduler evicts the attempt; nil otherwise.
	Eviction *Eviction
}

// Eviction is why a scheduler evicts an attempt that it had admitted.
type Eviction struct {
	// Reason is for people.
	Reason string
	// GraceSeconds is the grace period of the attempt's Pods; if it is 0, their own applies.
	GraceSeconds int32
}

// evicted returns why the attempt is evicted; nil if it is not.
func (r *round) evicted() *Eviction {
	if !r.in.Asking.Hints || r.status.AttemptStatus.SchedulerHints == nil {
		return nil
	}
	return r.in.Observed.Hints.Eviction
}

// takeBack ends the attempt that the scheduler evicts.
func (r *round) takeBack(e *Eviction) {
	if e.GraceSeconds > 0 {
		hints := *r.status.AttemptStatus.SchedulerHints
		hints.EvictionGracePeriodSeconds = e.GraceSeconds
		r.status.AttemptStatus.SchedulerHints = &hints
	}
	r.completeAttempt(predefined(completion.CodeEvictedByScheduler, e.Reason))
}

// evictionGrace returns the grace period of the Pods of an evicted attempt; if it is 0, their own applies.
func (r *round) evictionGrace() int32 {
	if hints := r.status.AttemptStatus.SchedulerHints; hints != nil {
		return hints.EvictionGracePeriodSeconds
	}
	return 0
}

// hinted reports whether the scheduler lets the Task's Pod be created. A Task that already had a Pod in this attempt does not
// wait: the scheduler has admitted it, and the stored hints apply. Without this, a refused rescale would end a running gang at
// the first failure in it.
func (t task) hinted() bool {
	let := t.r.letByScheduler()
	if t.r.hints == hintsAnswered {
		t.r.requeue(t.ref())
	}
	return let || t.retried()
}

// letByScheduler reports whether the scheduler lets Pods be created. The first call in a round computes it.
func (r *round) letByScheduler() bool {
	if r.in.Asking.Hints && r.hints == hintsUnknown {
		r.hints, _ = r.stepHints()
	}
	return !r.in.Asking.Hints || r.hints == hintsPrepared || r.hints == hintsForgone
}

// retried reports whether the Task had an earlier attempt, in this attempt of the Framework, for which a Pod was created or
// refused.
func (t task) retried() bool { return retried(t.status()) }

func retried(s *v1.TaskStatus) bool {
	return s.RetryPolicyStatus.TotalRetriedCount > 0 && !onlyDrawnAlong(s)
}

// onlyDrawnAlong reports whether none of the Task's earlier attempts can have had a Pod. Earlier versions ended and counted
// attempts of Tasks without a Pod whenever others restarted.
func onlyDrawnAlong(s *v1.TaskStatus) bool {
	return s.RunTime == nil && len(s.EarlierAttempts) == int(min(s.AttemptStatus.ID, v1.MaxEarlierAttempts)) &&
		!slices.ContainsFunc(s.EarlierAttempts, func(a v1.EarlierTaskAttempt) bool {
			return a.Node != "" || a.RunTime != nil ||
				!completion.IsPredefined(v1.CompletionStatus{Code: a.Code, Phrase: a.Phrase}, completion.CodeRestartedWithPeers)
		})
}

// askForHints asks pending questions once the state of all Tasks is known: some may have completed in this round. It also
// updates the hints after a rescale that needs no new Pod.
func (r *round) askForHints() {
	if !r.in.Asking.Hints || r.completing() || r.hints == hintsUnknown && r.status.AttemptStatus.SchedulerHints == nil {
		return
	}
	r.reportLateScheduling()
	if _, question := r.stepHints(); question != nil {
		r.do(question)
	}
}

// hintsProgress is the progress of the hints for the present scale.
type hintsProgress int

const (
	hintsUnknown hintsProgress = iota // not looked at in this round
	hintsMissing
	hintsAnswered // to be stored before they are used (decisions, "Scheduler hints")
	hintsStored
	hintsPrepared
	hintsForgone // the attempt has begun without hints, and continues without
)

// stepHints also returns the question to ask; nil if there is none.
func (r *round) stepHints() (hintsProgress, Action) {
	scale := r.scale()
	if r.begunWithoutHints() {
		return hintsForgone, nil
	}
	view := r.in.Observed.Hints
	stored := r.in.Saved != nil && isFor(scale, r.in.Saved.status.AttemptStatus.SchedulerHints)
	switch {
	case r.asksAnew():
		if isFor(scale, view.Answer) && !SchedulingChanged(r.in.Framework.Spec, view.Answer) {
			return r.storeHints(view.Answer), nil
		}
		return hintsMissing, AskHints{Scale: scale, Anew: true}
	case stored && view.Prepared == scale && r.isStored(view.Admission):
		if view.Changed {
			return hintsPrepared, PrepareHints{scale}
		}
		return hintsPrepared, nil
	case stored && view.Prepared == scale:
		return r.storeHints(admitted(r.in.Saved.status.AttemptStatus.SchedulerHints, view.Admission)), nil
	case stored:
		return hintsStored, PrepareHints{scale}
	case isFor(scale, view.Answer):
		return r.storeHints(r.keepAdmission(view.Answer)), nil
	}
	return hintsMissing, AskHints{Scale: scale}
}

func (r *round) storeHints(h *v1.SchedulerHints) hintsProgress {
	r.status.AttemptStatus.SchedulerHints = h
	r.out.Requeue = true
	return hintsAnswered
}

// isStored reports whether the admission is stored, or does not need to be.
func (r *round) isStored(admission []byte) bool {
	return len(admission) == 0 || bytes.Equal(admission, r.in.Saved.status.AttemptStatus.SchedulerHints.Admission)
}

func admitted(h *v1.SchedulerHints, admission []byte) *v1.SchedulerHints {
	out := *h
	out.Admission = admission
	return &out
}

// keepAdmission adds the attempt's existing admission to new hints: Pods of Tasks that already had one do not wait for another
// admission, and should be like those before.
func (r *round) keepAdmission(h *v1.SchedulerHints) *v1.SchedulerHints {
	stored := r.status.AttemptStatus.SchedulerHints
	if stored == nil || stored.Plugin != h.Plugin || len(stored.Admission) == 0 {
		return h
	}
	return admitted(h, stored.Admission)
}

// begunWithoutHints reports whether the attempt had a Pod before any plugin was to be asked for hints, for example under the
// original controller, or before the plugin was configured. Hints are stored before the first Pod. A later answer would
// concern a gang that partly runs already, and a refusal would keep Tasks from their retries.
func (r *round) begunWithoutHints() bool {
	return r.status.AttemptStatus.SchedulerHints == nil && r.anyBegun()
}

// anyBegun reports whether a Pod was created, or refused, for a Task of the attempt.
func (r *round) anyBegun() bool {
	for t := range r.tasks {
		if t.begun() {
			return true
		}
	}
	return false
}

// begun reports whether a Pod was created, or refused, for the Task.
func (t task) begun() bool { return begun(t.status()) || t.adoptable() }

// begun reports whether a Pod was created, or refused, for a Task, according to its status. A Task that was scaled down
// earlier has ended without one.
func begun(s *v1.TaskStatus) bool {
	return s.AttemptStatus.PodUID != nil || retried(s) || s.State != v1.AttemptCreationPending && !s.DeletionPending
}

func isFor(scale string, h *v1.SchedulerHints) bool { return h != nil && h.Scale == scale }

// scale returns the value on whose changes hints are requested again (v1.SchedulerHints).
func (r *round) scale() string {
	roles := make([]string, 0, len(r.roles))
	for _, role := range r.specRoles() {
		text := r.scaleOf(role)
		completed := role.tally.completed()
		if role.limited() {
			_, completed = TasksAtOnce(role.spec, completed)
		}
		if r.in.Observed.Hints.FollowTasks && completed > 0 {
			text += fmt.Sprintf("-%d", completed)
		}
		if role.tally.raised > 0 {
			text += fmt.Sprintf("+%d", role.tally.raised)
		}
		roles = append(roles, text)
	}
	if r.in.Observed.Hints.FollowStart && r.started() {
		roles = append(roles, scaleStarted)
	}
	return strings.Join(roles, ",")
}

// scaleOf returns the part of the scale for a role, without the Tasks that have completed. Nodes are searched for as many as may run
// at once.
func (r *round) scaleOf(role *roleDraft) string {
	wanted := min(role.wanted(), role.turns())
	if r.heldBack(role) {
		wanted = 0 // they come later, as by a rescale
	}
	return fmt.Sprintf("%s=%d", role.name, wanted)
}

// scaleStarted ends the scale once all Tasks in it have run. It stays until the scale has other Tasks.
const scaleStarted = "started"

// ScaleStarted reports whether hints are requested for an attempt in which all Tasks of the scale have run.
func ScaleStarted(scale string) bool { return strings.HasSuffix(scale, ","+scaleStarted) }

// started reports whether all Tasks in the scale run, or have run since it has these. Roles that are held back are not part of
// it; otherwise their predecessors would never count as started.
func (r *round) started() bool {
	counts, _ := r.released()
	return counts.running > 0 && counts.running+counts.completed() == counts.total || r.startedBefore()
}

// startedBefore reports whether the stored hints are for the same numbers of Tasks, all of which had run.
func (r *round) startedBefore() bool {
	stored := r.status.AttemptStatus.SchedulerHints
	if stored == nil || !ScaleStarted(stored.Scale) {
		return false
	}
	parts, roles := strings.Split(stored.Scale, ","), r.specRoles()
	if len(parts) != len(roles)+1 {
		return false
	}
	for i, role := range roles {
		if numberOf(parts[i]) != r.scaleOf(role) {
			return false
		}
	}
	return true
}

// numberOf returns the part of the scale for a role without what does not change the number of its Tasks.
func numberOf(part string) string {
	if end := strings.IndexAny(part, "-+"); end >= 0 {
		return part[:end]
	}
	return part
}
