package plugin

import (
	"context"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// HistorySink stores facts that the controller is about to forget.
type HistorySink interface {
	// Store returns the keys of the records that it holds durably from then on, including earlier ones. Records
	// whose keys it does not return are sent again, and so is the whole request after an error, which is a fault of the
	// plugin. Several calls may be under way at the same time, also with the same record. The context carries the deadline.
	Store(ctx context.Context, records []*pluginpb.Record) (stored []string, err error)
}

// SinkFunc adapts a function to a HistorySink.
type SinkFunc func(ctx context.Context, records []*pluginpb.Record) (stored []string, err error)

// Store calls the function.
func (f SinkFunc) Store(ctx context.Context, records []*pluginpb.Record) (stored []string, err error) {
	return f(ctx, records)
}

// sinkServer serves a HistorySink.
type sinkServer struct {
	pluginpb.UnimplementedHistorySinkServer
	sink HistorySink
	logs LogCollector // nil if it collects none
}

func (s sinkServer) Store(ctx context.Context, q *pluginpb.StoreRequest) (*pluginpb.StoreResponse, error) {
	keys, err := s.sink.Store(ctx, q.GetRecords())
	if err != nil {
		return nil, err
	}
	return &pluginpb.StoreResponse{Keys: keys}, nil
}
