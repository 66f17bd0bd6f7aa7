package controller

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/hintobjects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// askHints asks how the attempt's Pods are to be presented to a scheduler.
func (k *asker) askHints(r *record, a lifecycle.AskHints) inquiry {
	panel, uses := k.panel, r.uses()
	attempt := r.status.saved.Framework().AttemptStatus
	stored := attempt.SchedulerHints
	if stored != nil && !a.Anew {
		uses = panel.Keeping(uses, stored.Plugin)
	}
	digest := lifecycle.SchedulingDigest(r.framework.Spec)
	question, err := consult.HintRequest(r.inQuestion(), r.framework.Spec, r.status.saved, a.Scale)
	if a.Anew && err == nil {
		question.Previous = nil // it is the first question of the attempt once more, to whomever spec.plugins names by now
	}
	return func(ctx context.Context) func(*record) {
		var hints *v1.SchedulerHints
		var unusable error
		skipped := skippedPlugins{}
		switch {
		case errors.Is(err, consult.ErrBadTemplate):
			unusable = err
			hints, err = consult.NoHints(a.Scale, stored), nil
		case err == nil:
			if question.GroupVersions, err = k.served.Get(ctx); err != nil {
				err = &hintobjects.Error{Cause: err}
				break
			}
			hints, err = panel.Hints(ctx, uses, a.Scale, question, stored, skipped.add)
		}
		return func(r *record) {
			k.reporter.warnOfSkipped(r, skipped, "how Pods are presented to the scheduler")
			if err == nil {
				err = r.checkRoom(hints)
			}
			if unusable != nil {
				k.reporter.warnOnce(r, "PluginSkipped", "template", "no plugin is asked how Pods are presented to the scheduler: "+unusable.Error())
			}
			if err != nil {
				k.postpone(r, a, err)
				return
			}
			hints.SchedulingDigest, hints.Renewed = digest, a.Anew
			k.reporter.warnOfHints(r, hints)
			r.applyHints(attempt.ID, func(view *lifecycle.HintsView) { view.Answer = hints })
		}
	}
}

// applyHints notes something about the hints for an attempt.
func (r *record) applyHints(attempt int32, change func(*lifecycle.HintsView)) {
	change(r.questions.hintsFor(attempt))
	r.schedule.lookAtAll()
}

// HintsChanged has a scheduler asked once more about a Framework: it may say something else by now. It may be called at any
// time, with names that do not exist, too.
func (c *Controller) HintsChanged(namespace, name string) {
	if key := cache.NewObjectName(namespace, name); c.watches.framework(key) != nil {
		c.queue.enqueue(key, hintsChanged{})
	}
}

const (
	// leftByHints is how many bytes of the status hints leave to what comes after them. Messages can be cut, and Tasks are
	// compressed; hints stay as they are.
	leftByHints = 8 << 10
	// ownBytes is more than the Framework's own part of a status takes, without hints.
	ownBytes = 256 << 10
)

// checkRoom returns a *consult.Refusal if a status with these hints could not be stored beside the rest of the object. They are
// stored before the first Pod, so there would never be one.
func (r *record) checkRoom(h *v1.SchedulerHints) error {
	bytes := len(h.Answer) + len(h.Admission)
	if h.Plugin == "" || int(r.status.statusBytes())+bytes+ownBytes <= r.status.room {
		return nil
	}
	status := *r.status.saved.Framework()
	status.AttemptStatus.SchedulerHints = h
	encoder := statusjson.Encoder{Early: r.status.encoder.Early}
	text, _, err := encoder.Encode(&status, rolesOf(r.status.saved), r.status.room-leftByHints)
	if err != nil || len(text) <= r.status.room-leftByHints {
		return err
	}
	return &consult.Refusal{Plugin: h.Plugin, Kind: plugin.KindSchedulerHints, Reason: fmt.Sprintf(
		"the hints are %d bytes, but only %d bytes of the object are left for the status; reduce the size of the spec", bytes, r.status.room)}
}
