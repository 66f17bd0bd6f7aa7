package consult

import (
	"context"

	"google.golang.org/protobuf/proto"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// Decide decides whether an attempt ends. The question has no parameters. An error is a *Waiting or a *Refusal. Nothing is
// decided while a chosen plugin is not configured (Asking).
func (p *Panel) Decide(ctx context.Context, uses []v1.PluginUse, question *pluginpb.DecideRequest, skipped Skipped) (*lifecycle.Decision, error) {
	if err := p.lost(uses); err != nil {
		return nil, err
	}
	decision, err := firstOpinion(p.members(plugin.KindCompletionPolicy, uses), skipped, func(m member) (*lifecycle.Decision, error) {
		answer, from, err := p.decideBy(ctx, m, question)
		if err != nil || answer.GetDecision() == pluginpb.DecideResponse_ABSTAIN {
			return nil, err
		}
		return decisionOf(answer, from), nil
	})
	if decision == nil && err == nil {
		return &lifecycle.Decision{Digest: question.GetDigest(), Kind: lifecycle.DecideBuiltIn}, nil
	}
	return decision, err
}

// decideBy asks one plugin. The error of a refusal is a *Refusal.
func (p *Panel) decideBy(ctx context.Context, m member, question *pluginpb.DecideRequest) (answer *pluginpb.DecideResponse, from pluginhost.Source, err error) {
	if err := p.unfit(ctx, m); err != nil {
		return nil, from, err
	}
	q := proto.CloneOf(question)
	q.Parameters = m.parameters
	if answer, from, err = p.host.Decide(ctx, m.config.Name, q); err != nil {
		return nil, from, err
	}
	return answer, from, m.refusal(answer.GetRefusal())
}

var kinds = map[pluginpb.DecideResponse_Decision]lifecycle.DecisionKind{
	pluginpb.DecideResponse_CONTINUE:  lifecycle.DecideContinue,
	pluginpb.DecideResponse_SUCCEEDED: lifecycle.DecideSucceeded,
	pluginpb.DecideResponse_FAILED:    lifecycle.DecideFailed,
}

func decisionOf(a *pluginpb.DecideResponse, from pluginhost.Source) *lifecycle.Decision {
	d := &lifecycle.Decision{
		Digest:  a.GetDigest(),
		Kind:    kinds[a.GetDecision()],
		Message: a.GetMessage(),
		Source:  source(from, a.GetRule()),
	}
	if t := a.GetTrigger(); t != nil {
		d.Trigger = &lifecycle.TaskRef{Role: t.GetTaskRole(), Index: t.GetTaskIndex()}
	} else if d.Kind == lifecycle.DecideFailed {
		d.Status = podverdict.Status(&pluginpb.Verdict{Code: a.GetCode(), Phrase: a.GetPhrase(), Type: a.GetType(), Diagnostics: a.GetMessage()})
	}
	return d
}
