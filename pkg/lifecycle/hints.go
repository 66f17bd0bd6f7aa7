package lifecycle

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// HintsView is what is known of how a scheduler wants the attempt's Pods.
type HintsView struct {
	// Answer to AskHints; nil if there is none. An answer for any other scale than the present one is ignored.
	Answer *v1.SchedulerHints
	// Prepared is the scale that PrepareHints has succeeded for; empty if it has not, or if the hints were outdated by then
	// (State.HintsOutdated): once it is set, Pods may be under way.
	Prepared string
	// Admission is what the scheduler has said then; empty if there is nothing to be stored of it.
	Admission []byte
	// FollowTasks: the stored answer is for the Tasks that have not completed, too. So there is another question when some
	// have.
	FollowTasks bool
	// FollowStart: there is another question when all Tasks run that the scale counts.
	FollowStart bool
	// Changed: the scheduler may say something else by now about what it has let happen. It is asked again.
	Changed bool
	// Eviction says that the scheduler takes the attempt back; nil if it does not.
	Eviction *Eviction
}

// Eviction is why a scheduler takes an attempt back that it had admitted.
type Eviction struct {
	// Reason is for people.
	Reason string
	// GraceSeconds is how long the attempt's Pods are given to end; 0 leaves it to them.
	GraceSeconds int32
}

// evicted returns why the attempt is taken back; nil if it is not.
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

// evictionGrace is how long the Pods of an attempt that its scheduler has evicted are given to end; 0 leaves it to them.
func (r *round) evictionGrace() int32 {
	if hints := r.status.AttemptStatus.SchedulerHints; hints != nil {
		return hints.EvictionGracePeriodSeconds
	}
	return 0
}

// hinted reports whether the Task's Pod may be created as far as the scheduler is concerned. A Task that has had one in
// this attempt does not wait: the scheduler has let it, and the hints that are stored say how. Without this, a rescale that
// is refused would end a gang that runs by the first failure in it.
func (t task) hinted() bool {
	let := t.r.letByScheduler()
	if t.r.hints == hintsAnswered {
		t.r.requeue(t.ref())
	}
	return let || t.retried()
}

// letByScheduler reports whether Pods may be created as far as the scheduler is concerned. It looks, if nobody has in this
// round.
func (r *round) letByScheduler() bool {
	if r.in.Asking.Hints && r.hints == hintsUnknown {
		r.hints, _ = r.stepHints()
	}
	return !r.in.Asking.Hints || r.hints == hintsPrepared || r.hints == hintsForgone
}

// retried reports whether the Task had an attempt before, in this attempt of the Framework, for which a Pod was created or
// refused.
func (t task) retried() bool { return retried(t.status()) }

func retried(s *v1.TaskStatus) bool {
	return s.RetryPolicyStatus.TotalRetriedCount > 0 && !onlyDrawnAlong(s)
}

// onlyDrawnAlong reports whether none of the Task's earlier attempts may have had a Pod. Earlier versions ended and counted
// attempts of Tasks that were still to get one whenever others started again.
func onlyDrawnAlong(s *v1.TaskStatus) bool {
	return s.RunTime == nil && len(s.EarlierAttempts) == int(min(s.AttemptStatus.ID, v1.MaxEarlierAttempts)) &&
		!slices.ContainsFunc(s.EarlierAttempts, func(a v1.EarlierTaskAttempt) bool {
			return a.Node != "" || a.RunTime != nil ||
				!completion.IsPredefined(v1.CompletionStatus{Code: a.Code, Phrase: a.Phrase}, completion.CodeRestartedWithPeers)
		})
}

// askForHints asks what there is to ask once it is known what has become of all Tasks: some may have completed in this round.
// It also has the hints follow a rescale that needs no new Pod.
func (r *round) askForHints() {
	if !r.in.Asking.Hints || r.completing() || r.hints == hintsUnknown && r.status.AttemptStatus.SchedulerHints == nil {
		return
	}
	r.reportLateScheduling()
	if _, question := r.stepHints(); question != nil {
		r.do(question)
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

// stepHints also returns what is to be asked; nil if nothing is.
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

// isStored reports whether the admission is, or nothing of it is to be.
func (r *round) isStored(admission []byte) bool {
	return len(admission) == 0 || bytes.Equal(admission, r.in.Saved.status.AttemptStatus.SchedulerHints.Admission)
}

func admitted(h *v1.SchedulerHints, admission []byte) *v1.SchedulerHints {
	out := *h
	out.Admission = admission
	return &out
}

// keepAdmission returns new hints with the admission that the attempt has already: Pods of Tasks that have had one do not
// wait for another, and are to be like those before.
func (r *round) keepAdmission(h *v1.SchedulerHints) *v1.SchedulerHints {
	stored := r.status.AttemptStatus.SchedulerHints
	if stored == nil || stored.Plugin != h.Plugin || len(stored.Admission) == 0 {
		return h
	}
	return admitted(h, stored.Admission)
}

// begunWithoutHints reports whether the attempt had a Pod before anybody was to be asked for hints. It had one under the
// original, for example, or before the plugin was configured. Hints are stored before the first Pod. What a plugin said later would be
// about a gang of which some run already, and what it refused would keep Tasks from their retries.
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

// begun reports whether a Pod was created, or refused, for a Task, as far as its status says. One that was scaled down before has ended
// without.
func begun(s *v1.TaskStatus) bool {
	return s.AttemptStatus.PodUID != nil || retried(s) || s.State != v1.AttemptCreationPending && !s.DeletionPending
}

func isFor(scale string, h *v1.SchedulerHints) bool { return h != nil && h.Scale == scale }

// scale is what hints are asked for anew on a change of (v1.SchedulerHints).
func (r *round) scale() string {
	roles := make([]string, 0, len(r.roles))
	for _, role := range r.specRoles() {
		text := r.scaleOf(role)
		if completed := role.tally.completed(); r.in.Observed.Hints.FollowTasks && completed > 0 {
			text += fmt.Sprintf("-%d", completed)
		}
		roles = append(roles, text)
	}
	if r.in.Observed.Hints.FollowStart && r.started() {
		roles = append(roles, scaleStarted)
	}
	return strings.Join(roles, ",")
}

// scaleOf is the part of the scale for a role, without the Tasks that have completed.
func (r *round) scaleOf(role *roleDraft) string {
	wanted := role.wanted()
	if r.heldBack(role) {
		wanted = 0 // they come later, as by a rescale
	}
	return fmt.Sprintf("%s=%d", role.name, wanted)
}

// scaleStarted stands at the end of the scale once all Tasks that it counts have run. It stays there until the scale counts
// others.
const scaleStarted = "started"

// ScaleStarted reports whether hints are asked for of an attempt in which all Tasks of the scale have run.
func ScaleStarted(scale string) bool { return strings.HasSuffix(scale, ","+scaleStarted) }

// started reports whether all Tasks run that the scale counts, or have since it counts these. Roles that are held back are no
// part of it, or nothing that runs before them would ever count as started.
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
		if before, _, _ := strings.Cut(parts[i], "-"); before != r.scaleOf(role) {
			return false
		}
	}
	return true
}
