package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/hintobjects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// askHints asks how to present the attempt's Pods to a scheduler.
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
		question.Previous = nil // ask the first question of the attempt again, of the plugins that spec.plugins now names
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
				err = r.checkHintsSize(hints)
			}
			if unusable != nil {
				k.reporter.warnOnce(r, reason.PluginSkipped, "template", "no plugin is asked how Pods are presented to the scheduler: "+unusable.Error())
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

// applyHints records a change of the hints for an attempt.
func (r *record) applyHints(attempt int32, change func(*lifecycle.HintsView)) {
	change(r.questions.hintsFor(attempt))
	r.schedule.lookAtAll()
}

// hintsFollow caches whether the stored hints follow completed Tasks and the start of all Tasks, besides a rescale. Every round
// needs it, and decoding large hints takes a millisecond.
type hintsFollow struct {
	plugin       string
	answer       json.RawMessage // as decoded
	tasks, start bool
}

// by returns whether the hints follow each of them; nil stands for an attempt without hints.
func (f *hintsFollow) by(h *v1.SchedulerHints) (tasks, start bool) {
	switch {
	case h == nil:
		*f = hintsFollow{}
	case h.Plugin == f.plugin && bytes.Equal(h.Answer, f.answer):
		f.answer = h.Answer // so that only one of two equal copies is kept
	default:
		decoded, _ := consult.DecodeHints(h) // an error is reported when the hints are used
		*f = hintsFollow{h.Plugin, h.Answer, decoded.Answer.GetFollowTasks(), decoded.Answer.GetFollowStart()}
	}
	return f.tasks, f.start
}

// HintsChanged asks a scheduler once more about a Framework: its answer may have changed. It may be called at any time, even with
// names that do not exist.
func (c *Controller) HintsChanged(namespace, name string) {
	if key := cache.NewObjectName(namespace, name); c.watches.framework(key) != nil {
		c.queue.enqueue(key, hintsChanged{})
	}
}

const (
	// leftByHints is the number of bytes of the status that hints leave to later content. Messages can be cut, and Tasks are
	// compressed; hints stay as they are.
	leftByHints = 8 << 10
	// ownBytes is an upper bound of the Framework's own part of a status, without hints.
	ownBytes = 256 << 10
)

// checkHintsSize returns a *consult.Refusal if a status with these hints could not be stored beside the rest of the object. They are
// stored before the first Pod, so there would never be one.
func (r *record) checkHintsSize(h *v1.SchedulerHints) error {
	size := len(h.Answer) + len(h.Admission)
	if h.Plugin == "" || int(r.status.statusBytes())+size+ownBytes <= r.status.bytesLeft {
		return nil
	}
	status := *r.status.saved.Framework()
	status.AttemptStatus.SchedulerHints = h
	encoder := statusjson.Encoder{Early: r.status.encoder.Early}
	text, _, err := encoder.Encode(&status, rolesOf(r.status.saved), r.status.bytesLeft-leftByHints)
	if err != nil || len(text) <= r.status.bytesLeft-leftByHints {
		return err
	}
	return &consult.Refusal{Plugin: h.Plugin, Kind: plugin.KindSchedulerHints, Reason: fmt.Sprintf(
		"the hints are %d bytes, but only %d bytes of the object are left for the status; reduce the size of the spec", size, r.status.bytesLeft)}
}
