package controller

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// obstacle is an action that fails for a reason that may pass.
type obstacle struct {
	action lifecycle.Action
	err    error
	at     time.Time // when it was met last

	generation int64 // of the spec then
	edited     bool  // it was met before with another spec
}

// weigh notes what is in the way of an action, or that nothing is any more.
func (c *Controller) weigh(r *record, n result) {
	if errors.Is(n.err, errHeldBack) {
		if r.inheritedFrom(n.action) {
			r.schedule.lookAtAll() // it may not be wanted any more
		}
		return
	}
	r.disinherit(n.action)
	name := r.nameOf(n.action)
	switch {
	case !n.transient(), errors.Is(n.err, errStillThere):
		delete(r.blockers.obstacles, name)
	case errors.Is(n.err, errNameTaken) && r.controls(n.object):
		// An earlier attempt's object, or our own of which we were not told: the next round sees to it.
	default:
		before, met := r.blockers.obstacles[name]
		generation := r.framework.Generation
		r.blockers.obstacles[name] = obstacle{n.action, n.err, c.now(), generation, met && before.generation != generation}
		c.log.Debug("action failed", "framework", r.key.String(), "action", n.action.String(), "error", n.err)
	}
}

// overcome forgets the obstacles to actions that are not asked for any more, as far as this round has looked. It
// reports whether there were any.
func (r *record) overcome(asked []lifecycle.Action) bool {
	disinherited := r.disinherited(asked)
	before := len(r.blockers.obstacles) + len(r.questions.waiting)
	if before == 0 {
		return disinherited // as in nearly every round
	}
	wanted := make(map[any]bool, len(asked))
	for _, a := range asked {
		wanted[topic(a)] = true
	}
	maps.DeleteFunc(r.blockers.obstacles, func(_ string, o obstacle) bool { return r.schedule.looksAt(o.action) && !wanted[o.action] })
	maps.DeleteFunc(r.questions.waiting, func(about any, w waitingQuestion) bool { return r.schedule.looksAt(w.question) && !wanted[about] })
	return disinherited || len(r.blockers.obstacles)+len(r.questions.waiting) < before
}

// obstaclesInTheWay lists the obstacles in a fixed order, those that have passed after the others.
func (r *record) obstaclesInTheWay() []lifecycle.Obstacle {
	present, past := r.questions.pluginObstacles(), []lifecycle.Obstacle(nil)
	last := r.blockers.lastFailures()
	add := func(o lifecycle.Obstacle, passed bool) {
		if passed {
			past = append(past, o)
		} else {
			present = append(present, o)
		}
	}
	if r.blockers.inherited != nil {
		add(r.blockers.inherited.Obstacle, last.passed(r.blockers.inherited.Reason))
	}
	for name, o := range r.blockers.obstacles {
		what := obstacleTo(describe(o.action, name), o.reason(), o.text())
		what.Edited = o.edited
		add(what, creates(o.action) && last.passed(o.reason()))
	}
	return append(sorted(present), sorted(past)...)
}

func sorted(obstacles []lifecycle.Obstacle) []lifecycle.Obstacle {
	slices.SortFunc(obstacles, func(a, b lifecycle.Obstacle) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Words, b.Words))
	})
	return obstacles
}

// obstacleTo is what is in the way of doing something, in the words of others.
func obstacleTo(doing, reason, words string) lifecycle.Obstacle {
	return lifecycle.Obstacle{Reason: reason, Message: doing, Words: cut(words, longestMessage-len(doing)-len(": "))}
}

// longestMessage keeps a condition or event readable, and within what the API server accepts. Webhooks may say much.
const longestMessage = 1024

// cut shortens a text to so many bytes at most, and not within a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// controls reports whether the Framework controls an object, directly or through its ConfigMap.
func (r *record) controls(o metav1.Object) bool {
	if o == nil {
		return false
	}
	controller := metav1.GetControllerOf(o)
	return controller != nil && (controller.UID == r.uid || controller.UID == r.status.configMapUID())
}

// conditionReason is what the API server accepts as a reason of a condition.
var conditionReason = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,99}$`)

// Reasons that are not the API server's own.
const (
	nameConflict = "NameConflict"
	// requestRefused: the API server gives no reason that can be one of a condition.
	requestRefused = "RequestRefused"
	// unreachable: the API server has not answered.
	unreachable = "APIServerUnreachable"
)

// reason names the obstacle in one word. Webhooks may give reasons that are none.
func (o obstacle) reason() string {
	reason := string(apierrors.ReasonForError(o.err))
	var answer apierrors.APIStatus
	switch {
	case errors.Is(o.err, errNameTaken):
		return nameConflict
	case o.lacks() != "":
		return o.lacks()
	case conditionReason.MatchString(reason):
		return reason
	case errors.As(o.err, &answer):
		return requestRefused
	}
	return unreachable
}

// lacks is the reason if the API server does not have what a Pod names; empty otherwise. That it was still waited for when
// it was asked is known by the obstacle being there.
func (o obstacle) lacks() string {
	if _, ok := o.action.(lifecycle.CreatePod); !ok {
		return ""
	}
	return creationError(o.err, 0).Lacks()
}

// text says what went wrong. Of an error of the connection it is the cause: the rest has port numbers, and a text
// that changes with each try would be a status write each time.
func (o obstacle) text() string {
	err := o.err
	if o.reason() == unreachable {
		for errors.Unwrap(err) != nil {
			err = errors.Unwrap(err)
		}
	}
	return err.Error()
}

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
