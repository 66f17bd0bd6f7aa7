package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// askHints asks how the attempt's Pods are to be presented to a scheduler.
func (k *asker) askHints(r *record, a lifecycle.AskHints) inquiry {
	panel, uses := k.panel, r.uses()
	if stored := r.status.saved.Framework().AttemptStatus.SchedulerHints; stored != nil {
		uses = panel.Keeping(uses, stored.Plugin)
	}
	question, err := consult.HintRequest(r.inQuestion(), r.framework.Spec.TaskRoles, r.status.saved.Framework().AttemptStatus.SchedulerHints)
	attempt := r.status.saved.Framework().AttemptStatus.ID
	return func(ctx context.Context) func(*record) {
		var hints *v1.SchedulerHints
		var unusable error
		skipped := skippedPlugins{}
		switch {
		case errors.Is(err, consult.ErrBadTemplate):
			unusable = err
			hints, err = &v1.SchedulerHints{Scale: a.Scale, Answer: []byte("{}")}, nil
		case err == nil:
			hints, err = panel.Hints(ctx, uses, a.Scale, question, skipped.add)
		}
		return func(r *record) {
			k.reporter.warnOfSkipped(r, skipped, "how Pods are presented to the scheduler")
			if unusable != nil {
				k.reporter.warnOnce(r, "PluginSkipped", "template", "no plugin is asked how Pods are presented to the scheduler: "+unusable.Error())
			}
			if err != nil {
				k.postpone(r, a, err)
				return
			}
			r.applyHints(attempt, func(view *lifecycle.HintsView) { view.Answer = hints })
		}
	}
}

// applyHints notes something about the hints for an attempt; what is known of an earlier one is forgotten.
func (r *record) applyHints(attempt int32, change func(*lifecycle.HintsView)) {
	if r.questions.hintsOf != attempt {
		r.questions.hints, r.questions.hintsOf = lifecycle.HintsView{}, attempt
	}
	change(&r.questions.hints)
	r.schedule.lookAtAll()
}

// prepareHints makes the objects that the stored hints want to exist. If the hints say so, it asks whether Pods may be
// created. For a plugin that the Framework has disabled since, there is nothing to make and to ask.
func (k *asker) prepareHints(r *record, a lifecycle.PrepareHints) inquiry {
	stored := r.status.saved.Framework().AttemptStatus.SchedulerHints
	panel, uses := k.panel, r.uses()
	attempt := r.status.saved.Framework().AttemptStatus.ID
	apply := func(r *record) {
		r.applyHints(attempt, func(view *lifecycle.HintsView) { view.Prepared = a.Scale })
	}
	if consult.Disables(uses, stored.Plugin) {
		return func(context.Context) func(*record) { return apply }
	}
	answer, err := consult.Answer(stored)
	question := &pluginpb.MayCreateRequest{Framework: r.inQuestion()}
	what := fmt.Sprintf("%d %s", attempt, a.Scale)
	maker := hintMaker{k.resourceOf, r.key.Namespace, attemptReference(r), r.questions.hintsMade == what}
	return func(ctx context.Context) func(*record) {
		if err == nil {
			question.Objects, err = maker.all(ctx, answer.GetObjects())
		}
		made := err == nil
		skipped := skippedPlugins{}
		if err == nil && answer.GetWait() {
			err = mayCreate(ctx, panel, uses, stored.Plugin, question, skipped.add)
		}
		return func(r *record) {
			k.reporter.warnOfSkipped(r, skipped, "whether Pods may be created")
			if made {
				r.questions.hintsMade = what
			}
			if err != nil {
				k.postpone(r, a, err)
				return
			}
			apply(r)
		}
	}
}

// When a scheduler that does not say is asked again, and at the latest (plugin.proto).
const (
	schedulerPause  = 5 * time.Second
	schedulerAtMost = time.Hour
)

func mayCreate(ctx context.Context, panel *consult.Panel, uses []v1.PluginUse, plugin string, q *pluginpb.MayCreateRequest, skipped consult.Skipped) error {
	answer, err := panel.MayCreate(ctx, uses, plugin, q, skipped)
	if err != nil || answer.GetYes() {
		return err
	}
	after := time.Duration(answer.GetRetryAfterSeconds()) * time.Second
	if after <= 0 {
		after = schedulerPause
	}
	return &retryLaterError{plugin, answer.GetReason(), min(after, schedulerAtMost)}
}
