package controller

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// blockers are the obstacles to the Framework's actions, except the ones for which its questions to plugins wait.
//
// Invariant: when a round is completed, failures are about actions that were requested when last looked for. Invariant: restored
// stays nil once it is nil: the attempts of this process itself count more.
type blockers struct {
	failures map[string]failedAction // by the name of the action's object
	restored *restoredBlocker        // as stored by the previous process; nil if nothing is, or this process knows better
	// failingRoles are roles of which the last creation of a Pod has failed, with when that was.
	failingRoles map[string]time.Time
	// unresolvable describes the Pods whose requested names DNS will not know; empty if there are none.
	unresolvable string

	// These hold back after a failure, and are shared with the actions in the pool.
	configMaps, pods, others *flowcontrol.Breaker
	// These are nil before the first of their actions.
	companions, claims, claimsGoing *flowcontrol.Breaker
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

	generation int64 // the spec's, at that time
	edited     bool  // it was met before with another spec
}

// restoredBlocker is the blocker in the status that the previous process has stored. It has no action if it was stored by a version
// without facts.
type restoredBlocker struct {
	waiting.Fact
	at time.Time // when this process took it over
}

// recordOutcome records that an action fails for a reason that may pass, or that it no longer does.
func (c *Controller) recordOutcome(r *record, n result) {
	if errors.Is(n.err, errHeldBack) {
		if r.restoredFrom(n.action) {
			r.schedule.lookAtAll() // it may no longer be wanted
		}
		return
	}
	r.dropRestored(n.action, n.err)
	name := r.nameOf(n.action)
	switch {
	case !n.transient(), errors.Is(n.err, errStillThere):
		delete(r.blockers.failures, name)
	case errors.Is(n.err, errNameTaken) && r.controls(n.object):
		// The object of an earlier attempt, or our own without an answer: the next round handles it.
	default:
		before, met := r.blockers.failures[name]
		generation := r.framework.Generation
		r.blockers.failures[name] = failedAction{n.action, n.err, c.now(), generation, met && before.generation != generation}
		c.log.Debug("action failed", "framework", r.key.String(), "action", n.action.String(), "error", n.err)
	}
}

// pruneBlockers forgets the blockers of actions that are no longer requested. It looks only at the Tasks of this round, and
// reports whether there were any.
func (r *record) pruneBlockers(asked []lifecycle.Action) bool {
	pruned := r.pruneRestored(asked)
	before := len(r.blockers.failures) + len(r.questions.waiting)
	if before == 0 {
		return pruned // as in nearly every round
	}
	wanted := make(map[any]bool, len(asked))
	for _, a := range asked {
		wanted[topic(a)] = true
	}
	maps.DeleteFunc(r.blockers.failures, func(_ string, f failedAction) bool { return r.schedule.looksAt(f.action) && !wanted[topic(f.action)] })
	maps.DeleteFunc(r.questions.waiting, func(about any, w waitingQuestion) bool { return r.schedule.looksAt(w.question) && !wanted[about] })
	return pruned || len(r.blockers.failures)+len(r.questions.waiting) < before
}

// controls reports whether the Framework controls an object, directly or through its ConfigMap.
func (r *record) controls(o metav1.Object) bool {
	if o == nil {
		return false
	}
	controller := metav1.GetControllerOf(o)
	return controller != nil && (controller.UID == r.uid || controller.UID == r.status.configMapUID())
}

// reason names the blocker in one word. Webhooks may give invalid reasons.
func (f failedAction) reason() reason.Waiting {
	why := apierrors.ReasonForError(f.err)
	var answer apierrors.APIStatus
	switch {
	case errors.Is(f.err, errNameTaken):
		return reason.NameConflict
	case f.lacks() != "":
		return reason.Waiting(f.lacks())
	case conditionReason.MatchString(string(why)):
		return reason.Waiting(why)
	case errors.As(f.err, &answer):
		return reason.RequestRefused
	}
	return reason.APIServerUnreachable
}

// lacks is the reason if the API server lacks an object that the Pod names; empty otherwise. The waiting time is passed as 0: a
// failure whose wait is over is not remembered.
func (f failedAction) lacks() string {
	if _, ok := f.action.(lifecycle.CreatePod); !ok {
		return ""
	}
	return creationError(f.err, 0).Lacks()
}

// text describes the failure. For an error of the connection it is the cause: the rest contains port numbers, and a text that
// changes with each attempt would cause a status write each time.
func (f failedAction) text() string {
	err := f.err
	if f.reason() == reason.APIServerUnreachable {
		for errors.Unwrap(err) != nil {
			err = errors.Unwrap(err)
		}
	}
	return err.Error()
}

// conditionReason matches the reasons that the API server accepts for a condition.
var conditionReason = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,99}$`)

// supersededAfter is the time after which a reason of failed creations counts as superseded, if they have failed for another one
// since. A failure is remembered until its own action is retried, which takes minutes with a thousand Tasks. Alternating reasons
// are not superseded, or the condition would alternate too.
const supersededAfter = 30 * time.Second

// lastFailures are when creations have failed last, by reason.
type lastFailures map[reason.Waiting]time.Time

func (b *blockers) lastFailures() lastFailures {
	last := lastFailures{}
	if b.restored != nil {
		last[b.restored.Reason] = b.restored.at
	}
	for _, f := range b.failures {
		if why := f.reason(); creates(f.action) && f.at.After(last[why]) {
			last[why] = f.at
		}
	}
	return last
}

// superseded reports whether a reason is outdated. Only times of failures are compared: the report changes only if something
// happens.
func (last lastFailures) superseded(why reason.Waiting) bool {
	for _, at := range last {
		if at.Sub(last[why]) > supersededAfter {
			return true
		}
	}
	return false
}

// restore trusts the stored blocker of a Framework until this process knows better. After a restart nothing has been attempted
// yet; without the condition, clients that wait for its end would be misled, and it would later be reported as a new one. A wait
// without an action is recognized at once. The condition of a version that stored no facts stays until an action fails that may
// have been its cause, or none is requested any longer.
func (b *blockers) restore(framework string, stored *lifecycle.State, now time.Time) {
	c := waitingCondition(stored)
	if c == nil {
		return
	}
	w := stored.Framework().Waiting
	switch {
	case waiting.Seen(reason.Waiting(c.Reason)):
	case w == nil || w.Reason != c.Reason:
		b.restored = &restoredBlocker{waiting.Fact{Reason: reason.Waiting(c.Reason), Told: c.Message}, now}
	case w.Action != "":
		f := waiting.Restored(w)
		f.Object = objectOf(framework, f.Action)
		b.restored = &restoredBlocker{f, now}
	}
}

// dropRestored is called when an action was attempted: from now on its blocker is known. If it is unknown which action was the
// cause, a successful one was not. err is nil for a question that was answered.
func (r *record) dropRestored(tried lifecycle.Action, err error) {
	if r.restoredFrom(tried) && (err != nil || isQuestion(tried) || r.blockers.restored.Action != "") {
		r.blockers.restored = nil
	}
}

// pruneRestored drops the restored blocker if no requested action can be its cause. It reports whether it did. Blockers seen in
// the caches, such as Pods that do not start, come from no action.
func (r *record) pruneRestored(asked []lifecycle.Action) bool {
	if r.blockers.restored == nil || !r.schedule.full || slices.ContainsFunc(asked, r.restoredFrom) || slices.ContainsFunc(asked, r.restoredFromNext) {
		return false
	}
	r.blockers.restored = nil
	return true
}

// restoredFromNext reports whether the restored blocker may concern an action that is requested once the question is answered:
// Pods are created after their hints have been prepared.
func (r *record) restoredFromNext(a lifecycle.Action) bool {
	restored := r.blockers.restored
	return topic(a) == "hints" && (restored.Action == waiting.CreatePod || restored.Action == "" && !fromPlugins(restored.Reason))
}

// restoredFrom reports whether the restored blocker may concern the action. A question waits for a plugin, whichever Task it is
// about.
func (r *record) restoredFrom(a lifecycle.Action) bool {
	restored := r.blockers.restored
	if restored == nil {
		return false
	}
	if restored.Action == "" {
		return fromPlugins(restored.Reason) && isQuestion(a) || !fromPlugins(restored.Reason) && creates(a)
	}
	var task lifecycle.TaskRef
	if restored.Pod != "" {
		task = lifecycle.TaskRef{Role: restored.Role, Index: restored.Index}
	}
	of, _ := taskOf(a)
	switch {
	case isQuestion(a): // one plugin answers any of them, except questions about hints
		return restored.Action.Question() && restored.Action.Hints() == (topic(a) == "hints")
	}
	return restored.Action == waitingAction(a) && task == of
}

// fromPlugins reports whether questions wait for that reason.
func fromPlugins(why reason.Waiting) bool {
	switch why {
	case reason.PluginUnavailable, reason.PluginRefused, reason.HintsRefused, reason.HintsObjectsFailed, reason.SchedulerNotReady:
		return true
	}
	return false
}
