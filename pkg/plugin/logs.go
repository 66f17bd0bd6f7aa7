package plugin

import (
	"context"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// LogCollector keeps logs of Pods beyond the Pods.
type LogCollector interface {
	// CollectLogs reads the logs of a Pod that is about to be deleted, or sees to it that a server does. It returns nil once the
	// logs are kept, once the logs of running containers are being followed, or if there are none to keep. The Pod is deleted after
	// any result, and after the deadline of the context, which is 5 s at most. An error is counted, and is no fault of the plugin.
	// Many calls may be under way at the same time, also about the same Pod.
	CollectLogs(ctx context.Context, q *pluginpb.CollectLogsRequest) error
}

// LogCollectorFunc adapts a function to a LogCollector.
type LogCollectorFunc func(ctx context.Context, q *pluginpb.CollectLogsRequest) error

// CollectLogs calls the function.
func (f LogCollectorFunc) CollectLogs(ctx context.Context, q *pluginpb.CollectLogsRequest) error {
	return f(ctx, q)
}

// collectsLogs reports whether the configured plugin should be asked to collect logs.
func (p Plugin) collectsLogs() bool {
	return p.HistorySink != nil && p.LogCollector != nil && (p.CollectsLogs == nil || p.CollectsLogs())
}

func (s sinkServer) CollectLogs(ctx context.Context, q *pluginpb.CollectLogsRequest) (*pluginpb.CollectLogsResponse, error) {
	if s.logs == nil {
		return s.UnimplementedHistorySinkServer.CollectLogs(ctx, q)
	}
	if err := s.logs.CollectLogs(ctx, q); err != nil {
		return nil, err
	}
	return &pluginpb.CollectLogsResponse{}, nil
}
