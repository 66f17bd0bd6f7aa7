package gang

import (
	"context"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Scheduler describes the plugin for one scheduler. S holds its parameters. Every question brings them, so a plugin keeps nothing.
type Scheduler[S any] struct {
	// Name begins the text of each refusal.
	Name string
	// Version is recorded with every answer.
	Version string
	// FrameworkParameters are the parameters that Frameworks may set.
	FrameworkParameters []string
	// Read checks the parameters as far as this is possible without a Framework. The error names the parameter.
	Read func(*structpb.Struct) (S, error)
	// Plan answers a question; nil means no opinion. The error tells the author of the Framework why it cannot be scheduled.
	Plan func(S, *pluginpb.HintRequest) (*pluginpb.HintResponse, error)
	// MayCreate implements plugin.Waiter. It is nil if no answer has wait set.
	MayCreate func(context.Context, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error)
}

// Plugin returns the plugin, which refuses a Framework with the error of Read or Plan.
func (s Scheduler[S]) Plugin() plugin.Plugin {
	out := plugin.Plugin{Version: s.Version, Configure: s.configure, FrameworkParameters: s.FrameworkParameters, SchedulerHints: plugin.HintsFunc(s.hint)}
	if s.MayCreate != nil {
		out.SchedulerHints = waiter{s.hint, s.MayCreate}
	}
	return out
}

func (s Scheduler[S]) configure(_ string, parameters *structpb.Struct) error {
	_, err := s.Read(parameters)
	return err
}

func (s Scheduler[S]) hint(_ context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	parameters, err := s.Read(q.GetParameters())
	if err != nil {
		return s.refuse(err), nil
	}
	answer, err := s.Plan(parameters, q)
	if err != nil {
		return s.refuse(err), nil
	}
	return answer, nil
}

func (s Scheduler[S]) refuse(err error) *pluginpb.HintResponse {
	return &pluginpb.HintResponse{Refusal: s.Name + ": " + err.Error()}
}

// waiter is a plugin.Waiter besides.
type waiter struct {
	plugin.HintsFunc
	mayCreate func(context.Context, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error)
}

func (w waiter) MayCreate(ctx context.Context, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
	return w.mayCreate(ctx, q)
}
