package plugin

import (
	"context"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// CompletionPolicy decides when an attempt of a Framework ends.
type CompletionPolicy interface {
	// Decide is asked while an attempt runs, whenever something that the answer may depend on has changed: a Task has
	// completed, or the number of Tasks or a threshold was changed. The same question may be asked again, also of a new
	// process, and must get the same answer. The context carries the deadline; an answer after it is not used.
	//
	// Nil, and the decision ABSTAIN, mean no opinion: the next plugin is asked, finally the built-in rule. Digest and
	// attempt id of the answer need not be set. An answer with a refusal (RefuseDecision) is for a Framework about
	// which the plugin cannot decide as it is, for example because its parameters are wrong: the refusal is shown to
	// its author. An error is a fault of the plugin: the controller asks again, and after repeated faults applies the
	// plugin's failurePolicy.
	Decide(ctx context.Context, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error)
}

// PolicyFunc adapts a function to a CompletionPolicy.
type PolicyFunc func(ctx context.Context, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error)

// Decide calls the function.
func (f PolicyFunc) Decide(ctx context.Context, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
	return f(ctx, q)
}

// RefuseDecision returns the answer that nothing can be decided about a Framework as it is. The reason is for its
// author, and should name the parameter. It returns nil if reason is nil.
func RefuseDecision(reason error) *pluginpb.DecideResponse {
	if reason == nil {
		return nil
	}
	return &pluginpb.DecideResponse{Refusal: reason.Error()}
}

// policyServer serves a CompletionPolicy.
type policyServer struct {
	pluginpb.UnimplementedCompletionPolicyServer
	policy CompletionPolicy
}

func (s policyServer) Decide(ctx context.Context, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
	// Read first, in case the policy keeps or changes the question.
	digest, attempt := q.GetDigest(), q.GetFramework().GetAttemptId()
	a, err := s.policy.Decide(ctx, q)
	if err != nil || a.GetDecision() == pluginpb.DecideResponse_ABSTAIN || a.GetRefusal() != "" {
		return &pluginpb.DecideResponse{Refusal: a.GetRefusal()}, err
	}
	return &pluginpb.DecideResponse{
		Decision: a.Decision, Digest: digest, AttemptId: attempt, Trigger: a.Trigger, Message: a.Message, Rule: a.Rule,
		Code: a.Code, Phrase: a.Phrase, Type: a.Type,
	}, nil
}
