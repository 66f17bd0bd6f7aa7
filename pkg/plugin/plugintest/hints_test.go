package plugintest

import (
	"context"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// waiting has no objects: it waits for something outside the cluster, such as a quota kept by another system.
type waiting struct{}

func (waiting) Hint(context.Context, *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	return &pluginpb.HintResponse{Wait: true}, nil
}

func (waiting) MayCreate(context.Context, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
	return nil, nil
}

func TestHintsMayWaitWithoutObjects(t *testing.T) {
	options := Options{Shapes: []*pluginpb.HintRequest{{Framework: &pluginpb.Framework{Name: "f", AttemptId: 7}}}}
	Hints(t, InProcess(func() plugin.Plugin { return plugin.Plugin{SchedulerHints: waiting{}} }), options)
}
