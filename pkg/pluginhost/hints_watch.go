package pluginhost

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v4"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// followHints receives from a process of SchedulerHints the Frameworks for which it has a new answer, until the process
// ends. A process without Watch reports none.
func (v *supervisor) followHints(c Config, ch *child) {
	if c.Kind != plugin.KindSchedulerHints || v.slot.host.onHintsChanged == nil {
		return
	}
	ctx, cancel := context.WithCancel(v.ctx)
	go func() {
		<-ch.process.ended
		cancel()
	}()
	go v.hearHints(ctx, ch)
}

func (v *supervisor) hearHints(ctx context.Context, ch *child) {
	pause := backoff.NewExponentialBackOff(backoff.WithInitialInterval(v.slot.host.timing.backoffFirst),
		backoff.WithMaxInterval(v.slot.host.timing.backoffMost), backoff.WithMaxElapsedTime(0))
	for ctx.Err() == nil {
		began := time.Now()
		err := v.hearHintsOnce(ctx, ch)
		if ctx.Err() != nil || status.Code(err) == codes.Unimplemented {
			return
		}
		if time.Since(began) >= v.slot.host.timing.healthy {
			pause.Reset()
		}
		again := pause.NextBackOff()
		v.log.Warn("plugin reports no changes", "reason", err, "again_in", again.Round(time.Millisecond).String())
		select {
		case <-time.After(again):
		case <-ctx.Done():
		}
	}
}

// hearHintsOnce returns why the stream has ended.
func (v *supervisor) hearHintsOnce(ctx context.Context, ch *child) error {
	stream, err := pluginpb.NewSchedulerHintsClient(ch.conn).Watch(ctx, &pluginpb.WatchRequest{})
	if err != nil {
		return err
	}
	for {
		change, err := stream.Recv()
		if err != nil {
			return err
		}
		v.slot.host.onHintsChanged(change.GetNamespace(), change.GetName())
	}
}
