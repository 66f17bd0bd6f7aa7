package controller

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/hintobjects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// blockedBy lists what is in the way of the Framework in a fixed order, reasons of long ago last: actions that fail,
// questions that plugins do not answer, and what the process before has told of; and then what keeps nothing from running.
// Of this and of its Pods, package
// lifecycle makes the condition Waiting.
func (r *record) blockedBy() []lifecycle.Blocker {
	present, past := r.questions.blockedBy(), []lifecycle.Blocker(nil)
	last := r.blockers.lastFailures()
	add := func(o lifecycle.Blocker, superseded bool) {
		if superseded {
			past = append(past, o)
		} else {
			present = append(present, o)
		}
	}
	if r.blockers.restored != nil {
		add(r.blockers.restored.Blocker, last.superseded(r.blockers.restored.Reason))
	}
	for name, f := range r.blockers.failures {
		what := blockerTo(describe(f.action, name), f.reason(), f.text())
		what.Edited = f.edited
		add(what, creates(f.action) && last.superseded(f.reason()))
	}
	blockers := append(sorted(present), sorted(past)...)
	if r.blockers.unresolvable != "" {
		blockers = append(blockers, lifecycle.Blocker{Reason: namesUnresolvable, Message: r.blockers.unresolvable, Minor: true})
	}
	return blockers
}

func sorted(blockers []lifecycle.Blocker) []lifecycle.Blocker {
	slices.SortFunc(blockers, func(a, b lifecycle.Blocker) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Words, b.Words))
	})
	return blockers
}

// blockerTo is what is in the way of doing something, in the words of others.
func blockerTo(doing, reason, words string) lifecycle.Blocker {
	return lifecycle.Blocker{Reason: reason, Message: doing, Words: completion.Cut(words, longestMessage-len(doing)-len(": "))}
}

// waiting returns the condition that says what a Framework waits for; nil if it waits for nothing.
func waiting(s *lifecycle.State) *metav1.Condition {
	if s == nil || !meta.IsStatusConditionTrue(s.Framework().Conditions, v1.ConditionWaiting) {
		return nil
	}
	return meta.FindStatusCondition(s.Framework().Conditions, v1.ConditionWaiting)
}

// reasonToWait returns the reason of that condition; empty if the Framework waits for nothing.
func reasonToWait(s *lifecycle.State) string {
	if c := waiting(s); c != nil {
		return cmp.Or(c.Reason, counts.Other)
	}
	return ""
}

// waitsForMemory reports whether it was stored that the Framework is left out.
func waitsForMemory(conditions []metav1.Condition) bool {
	c := meta.FindStatusCondition(conditions, v1.ConditionWaiting)
	return c != nil && c.Reason == memoryLimitReached
}

// conditionsOf are those of a stored status; none if it does not decode.
func conditionsOf(status json.RawMessage) []metav1.Condition {
	var stored struct {
		Conditions []metav1.Condition `json:"conditions"`
	}
	if len(status) == 0 || json.Unmarshal(status, &stored) != nil {
		return nil
	}
	return stored.Conditions
}

// waitingReason says that the plugin is unavailable also of what nobody expects, such as stored hints that make no sense.
func waitingReason(err error) string {
	var refusal *consult.Refusal
	var notMade *hintobjects.Error
	var later *retryLaterError
	switch {
	case errors.As(err, &refusal) && refusal.Kind == plugin.KindSchedulerHints:
		return hintsRefused
	case errors.As(err, &refusal):
		return pluginRefused
	case errors.As(err, &notMade):
		return hintsObjectsFailed
	case errors.As(err, &later):
		return schedulerNotReady
	}
	return pluginUnavailable
}

// Reasons for which questions wait.
const (
	pluginUnavailable  = "PluginUnavailable"
	pluginRefused      = "PluginRefused"
	hintsRefused       = "HintsRefused"
	hintsObjectsFailed = "HintsObjectsFailed"
	schedulerNotReady  = "SchedulerNotReady"
)

// memoryLimitReached is the reason of the condition Waiting if the MemoryBudget is in the way.
const memoryLimitReached = "MemoryLimitReached"

// namesUnresolvable is the reason if DNS will not know names of Pods. That keeps nothing from running.
const namesUnresolvable = "NamesUnresolvable"

// waitingReasons are those that Frameworks are counted by. An API server, or a webhook, may give any other.
var waitingReasons = []string{
	lifecycle.ReasonUnschedulable, lifecycle.ReasonImageNotPulled, lifecycle.ReasonContainerNotStarted,
	lifecycle.ReasonContainerCrashing, lifecycle.ReasonContainersLeft, lifecycle.ReasonPodNotStarted, lifecycle.ReasonSchedulingGated, lifecycle.ReasonPodNotScheduled,
	lifecycle.ReasonTooManyTasks, lifecycle.ReasonStartBlocked, lifecycle.ReasonStartsLater,
	lifecycle.ReasonPodTerminating, lifecycle.ReasonConfigMapTerminating,
	"ServiceAccountNotFound", "PriorityClassNotFound", "RuntimeClassNotFound",
	nameConflict, "Invalid", "Forbidden", "InternalError", requestRefused, unreachable,
	memoryLimitReached, pluginUnavailable, pluginRefused, hintsRefused, hintsObjectsFailed, schedulerNotReady,
	namesUnresolvable,
}
