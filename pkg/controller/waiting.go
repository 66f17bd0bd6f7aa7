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
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// blockedBy lists what is in the way of the Framework in a fixed order, reasons of long ago last: actions that fail,
// questions that plugins do not answer, and what the process before has told of; and then what keeps nothing from running.
// Of this and of its Pods, package lifecycle makes the condition Waiting.
func (r *record) blockedBy() []waiting.Fact {
	present, past := r.questions.blockedBy(), []waiting.Fact(nil)
	last := r.blockers.lastFailures()
	add := func(f waiting.Fact, superseded bool) {
		if superseded {
			past = append(past, f)
		} else {
			present = append(present, f)
		}
	}
	if r.blockers.restored != nil {
		add(r.blockers.restored.Fact, last.superseded(r.blockers.restored.Reason))
	}
	for name, f := range r.blockers.failures {
		add(f.fact(name), creates(f.action) && last.superseded(f.reason()))
	}
	blockers := append(sorted(present), sorted(past)...)
	if r.blockers.unresolvable != "" {
		blockers = append(blockers, waiting.Fact{Reason: reason.NamesUnresolvable, Told: r.blockers.unresolvable, Minor: true})
	}
	return blockers
}

func sorted(blockers []waiting.Fact) []waiting.Fact {
	slices.SortFunc(blockers, func(a, b waiting.Fact) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Action, b.Action), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Index, b.Index),
			cmp.Compare(a.Words, b.Words))
	})
	return blockers
}

// fact is what the failure keeps the Framework waiting for. The name is that of the object.
func (f failedAction) fact(name string) waiting.Fact {
	out := waiting.Fact{Reason: f.reason(), Action: waitingAction(f.action), Edited: f.edited}
	if ref, ok := taskOf(f.action); ok {
		out.Role, out.Index, out.Pod = ref.Role, ref.Index, name
	} else if a, ok := f.action.(lifecycle.ReadItems); ok {
		out.Role = a.Role
	} else if _, ok := claimOf(f.action); !ok { // of which the words have the name
		out.Object = name
	}
	out.Words = completion.Cut(f.text(), longestMessage-len(out.Sentence())-len(": "))
	return out
}

// waitingCondition returns the condition that says what a Framework waits for; nil if it waits for nothing.
func waitingCondition(s *lifecycle.State) *metav1.Condition {
	if s == nil || !meta.IsStatusConditionTrue(s.Framework().Conditions, v1.ConditionWaiting) {
		return nil
	}
	return meta.FindStatusCondition(s.Framework().Conditions, v1.ConditionWaiting)
}

// reasonToWait returns the reason of that condition; empty if the Framework waits for nothing.
func reasonToWait(s *lifecycle.State) string {
	if c := waitingCondition(s); c != nil {
		return cmp.Or(c.Reason, counts.Other)
	}
	return ""
}

// waitsForMemory reports whether it was stored that the Framework is left out.
func waitsForMemory(conditions []metav1.Condition) bool {
	c := meta.FindStatusCondition(conditions, v1.ConditionWaiting)
	return c != nil && c.Reason == string(reason.MemoryLimitReached)
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
func waitingReason(err error) reason.Waiting {
	var refusal *consult.Refusal
	var notMade *hintobjects.Error
	var later *retryLaterError
	switch {
	case errors.As(err, &refusal) && refusal.Kind == plugin.KindSchedulerHints:
		return reason.HintsRefused
	case errors.As(err, &refusal):
		return reason.PluginRefused
	case errors.As(err, &notMade):
		return reason.HintsObjectsFailed
	case errors.As(err, &later):
		return reason.SchedulerNotReady
	}
	return reason.PluginUnavailable
}
