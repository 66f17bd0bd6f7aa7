package remote

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/history-remote/spool"
)

// Version of the plugin.
const Version = "1.0.0"

// New returns the plugin.
func New() plugin.Plugin {
	s := &sink{log: plugin.Logger()}
	return plugin.Plugin{Version: Version, Configure: s.configure, FrameworkParameters: []string{}, HistorySink: s,
		LogCollector: s, CollectsLogs: s.collectsLogs}
}

// sink implements plugin.HistorySink and plugin.LogCollector.
type sink struct {
	log    hclog.Logger
	client *client
	spool  *spool.Spool // nil without a spool
	away   atomic.Bool  // the last request got no usable answer
	logs   logs
}

func (s *sink) configure(_ string, parameters *structpb.Struct) error {
	spec, err := read(parameters)
	if err != nil {
		return err
	}
	return s.start(context.Background(), spec)
}

// start begins to replay the spool until ctx ends.
func (s *sink) start(ctx context.Context, spec spec) (err error) {
	s.client = newRemote(spec, s.log)
	if spec.SpoolDirectory == "" {
		return nil
	}
	if s.spool, err = spool.Open(spec.SpoolDirectory, spec.SpoolBytes.Value(), s.log); err != nil {
		return fmt.Errorf("spoolDirectory: %w", err)
	}
	go s.replay(ctx)
	return nil
}

// Store sends records to the server, or puts them into the spool if the server is away.
func (s *sink) Store(ctx context.Context, records []*pluginpb.Record) ([]string, error) {
	if s.client == nil {
		return nil, errors.New("it was not configured")
	}
	if s.waitsForServer() && s.spool.Append(records) == nil {
		return keysOf(records), nil
	}
	left, err := s.sendInTime(ctx, records)
	if err != nil && s.spool != nil && ctx.Err() == nil {
		if full := s.spool.Append(left); full != nil {
			err = fmt.Errorf("%w; %w", full, err)
		} else {
			left, err = nil, nil
		}
	}
	if len(left) == len(records) && err != nil {
		return nil, err
	}
	return settled(records, left), nil
}

// waitsForServer reports whether the spool has records that the server has not taken, so that another request would most likely fail.
func (s *sink) waitsForServer() bool { return s.spool != nil && s.away.Load() && !s.spool.Empty() }

// sendInTime leaves time for the spool before the deadline of the call.
func (s *sink) sendInTime(ctx context.Context, records []*pluginpb.Record) ([]*pluginpb.Record, error) {
	timeout := s.client.spec.timeout
	if deadline, limited := ctx.Deadline(); limited && s.spool != nil {
		timeout = min(timeout, time.Until(deadline)*2/3)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return s.send(ctx, records)
}

// send sends records, and logs when the server goes away and when it is back.
func (s *sink) send(ctx context.Context, records []*pluginpb.Record) ([]*pluginpb.Record, error) {
	left, err := s.client.send(ctx, records)
	if was := s.away.Swap(err != nil); err != nil && !was {
		s.log.Warn("the server does not take records", "reason", err)
	} else if err == nil && was {
		s.log.Info("the server takes records again")
	}
	return left, err
}
