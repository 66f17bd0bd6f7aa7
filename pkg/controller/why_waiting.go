package controller

import (
	"cmp"
	"errors"
	"regexp"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// blockedBy lists what is in the way of the Framework in a fixed order, reasons of long ago last: actions that fail, questions
// that plugins do not answer, and what the process before has told of. Of this and of its Pods, package lifecycle makes the
// condition Waiting.
func (r *record) blockedBy() []lifecycle.Obstacle {
	present, past := r.questions.blockedBy(), []lifecycle.Obstacle(nil)
	last := r.blockers.lastFailures()
	add := func(o lifecycle.Obstacle, superseded bool) {
		if superseded {
			past = append(past, o)
		} else {
			present = append(present, o)
		}
	}
	if r.blockers.restored != nil {
		add(r.blockers.restored.Obstacle, last.superseded(r.blockers.restored.Reason))
	}
	for name, f := range r.blockers.failures {
		what := blockerTo(describe(f.action, name), f.reason(), f.text())
		what.Edited = f.edited
		add(what, creates(f.action) && last.superseded(f.reason()))
	}
	return append(sorted(present), sorted(past)...)
}

func sorted(blockers []lifecycle.Obstacle) []lifecycle.Obstacle {
	slices.SortFunc(blockers, func(a, b lifecycle.Obstacle) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Words, b.Words))
	})
	return blockers
}

// blockerTo is what is in the way of doing something, in the words of others.
func blockerTo(doing, reason, words string) lifecycle.Obstacle {
	return lifecycle.Obstacle{Reason: reason, Message: doing, Words: cut(words, longestMessage-len(doing)-len(": "))}
}

// reason names what is in the way in one word. Webhooks may give reasons that are none.
func (f failedAction) reason() string {
	reason := string(apierrors.ReasonForError(f.err))
	var answer apierrors.APIStatus
	switch {
	case errors.Is(f.err, errNameTaken):
		return nameConflict
	case f.lacks() != "":
		return f.lacks()
	case conditionReason.MatchString(reason):
		return reason
	case errors.As(f.err, &answer):
		return requestRefused
	}
	return unreachable
}

// lacks is the reason if the API server does not have what a Pod names; empty otherwise. That it was still waited for when
// it was asked is known by its being there.
func (f failedAction) lacks() string {
	if _, ok := f.action.(lifecycle.CreatePod); !ok {
		return ""
	}
	return creationError(f.err, 0).Lacks()
}

// text says what went wrong. Of an error of the connection it is the cause: the rest has port numbers, and a text
// that changes with each try would be a status write each time.
func (f failedAction) text() string {
	err := f.err
	if f.reason() == unreachable {
		for errors.Unwrap(err) != nil {
			err = errors.Unwrap(err)
		}
	}
	return err.Error()
}

// Reasons that are not the API server's own.
const (
	nameConflict = "NameConflict"
	// requestRefused: the API server gives no reason that can be one of a condition.
	requestRefused = "RequestRefused"
	// unreachable: the API server has not answered.
	unreachable = "APIServerUnreachable"
)

// conditionReason is what the API server accepts as a reason of a condition.
var conditionReason = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,99}$`)

func describe(a lifecycle.Action, name string) string {
	switch a.(type) {
	case lifecycle.CreateConfigMap:
		return "creating ConfigMap " + name
	case lifecycle.CreatePod:
		return "creating Pod " + name
	case lifecycle.DeleteFramework:
		return "deleting the Framework"
	case lifecycle.DeleteConfigMap:
		return "deleting ConfigMap " + name
	case lifecycle.DeletePod:
		return "deleting Pod " + name
	}
	return "reading " + name
}

// waiting returns the condition that says what a Framework waits for; nil if it waits for nothing.
func waiting(s *lifecycle.State) *metav1.Condition {
	if s == nil || !meta.IsStatusConditionTrue(s.Framework().Conditions, v1.ConditionWaiting) {
		return nil
	}
	return meta.FindStatusCondition(s.Framework().Conditions, v1.ConditionWaiting)
}
