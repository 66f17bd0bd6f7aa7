package controller

import (
	"context"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// decide asks whether the attempt is to end.
func (c *Controller) decide(r *record, a lifecycle.DecideCompletion) inquiry {
	panel, uses := c.options.Plugins, r.uses()
	question := &pluginpb.DecideRequest{Framework: r.inQuestion(), Digest: a.Digest}
	for i := range r.framework.Spec.TaskRoles {
		question.Roles = append(question.Roles, r.progress(&r.framework.Spec.TaskRoles[i]))
	}
	return func(ctx context.Context) func(*record) {
		skipped := skips{}
		decision, err := panel.Decide(ctx, uses, question, skipped.add)
		return func(r *record) {
			c.tellSkips(r, skipped, "whether the attempt ends")
			if err != nil {
				c.waitWith(r, a, err)
				return
			}
			r.decision = decision
			r.lookAtAll()
		}
	}
}

// progress is how far the Tasks of a role are.
func (r *record) progress(spec *v1.TaskRoleSpec) *pluginpb.RoleProgress {
	out := &pluginpb.RoleProgress{
		Name:                  spec.Name,
		TaskNumber:            spec.TaskNumber,
		MinFailedTaskCount:    spec.FrameworkAttemptCompletionPolicy.MinFailedTaskCount,
		MinSucceededTaskCount: spec.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount,
	}
	for role, tasks := range r.saved.EachRole {
		if role.Name != spec.Name {
			continue
		}
		for _, t := range tasks {
			if t.State == v1.Completed && !t.DeletionPending {
				out.Completed = append(out.Completed, completedTask(t))
			}
		}
	}
	return out
}

func completedTask(t *v1.TaskStatus) *pluginpb.CompletedTask {
	s := t.AttemptStatus.CompletionStatus
	verdict := podverdict.Earlier(s.CompletionStatus)
	out := &pluginpb.CompletedTask{Index: t.Index, Code: verdict.Code, Phrase: verdict.Phrase, Type: verdict.Type}
	if t.CompletionTime != nil {
		out.CompletionTime = timestampOf(*t.CompletionTime)
	}
	if node := t.AttemptStatus.PodNodeName; node != nil {
		out.Node = *node
	}
	return out
}
