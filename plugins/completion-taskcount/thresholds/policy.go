package thresholds

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/taskcount"
)

// Version is recorded with every decision.
const Version = "1.0.0"

// New returns the plugin. It takes no parameters: the thresholds are in the spec of each Framework.
func New() plugin.Plugin {
	configure := func(_ string, parameters *structpb.Struct) error { return plugin.Decode(parameters, &struct{}{}) }
	return plugin.Plugin{Version: Version, Configure: configure, FrameworkParameters: []string{}, CompletionPolicy: plugin.PolicyFunc(decide)}
}

func decide(_ context.Context, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
	if err := plugin.Decode(q.GetParameters(), &struct{}{}); err != nil {
		return plugin.RefuseDecision(fmt.Errorf("this plugin takes no parameters: %w", err)), nil
	}
	a := attemptIn(q)
	outcome, decided := taskcount.Decide(a)
	if !decided {
		return nil, nil
	}
	role := a.roles[outcome.Role].GetName()
	answer := &pluginpb.DecideResponse{
		Decision: pluginpb.DecideResponse_SUCCEEDED,
		Trigger:  &pluginpb.Trigger{TaskRole: role, TaskIndex: outcome.Index},
		Message:  outcome.Message,
		Rule:     outcome.Rule.Of(role),
	}
	if outcome.Rule == taskcount.MinFailed {
		answer.Decision = pluginpb.DecideResponse_FAILED
	}
	return answer, nil
}
