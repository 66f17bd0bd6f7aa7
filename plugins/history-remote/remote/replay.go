package remote

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v4"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/history-remote/spool"
)

const (
	// lookAgain is the time until the spool is checked for files of a process that has ended.
	lookAgain = 10 * time.Second
	// patience is the factor by which a request from the spool may take longer than a call, because nobody waits for it.
	patience = 10

	firstPause = 200 * time.Millisecond
	maxPause   = 30 * time.Second
)

// replay sends the records of the spool, oldest first, until ctx ends.
func (s *sink) replay(ctx context.Context) {
	defer s.spool.Close()
	pause := backoff.NewExponentialBackOff(backoff.WithInitialInterval(firstPause), backoff.WithMaxInterval(maxPause), backoff.WithMaxElapsedTime(0))
	var batch *spool.Batch
	for ctx.Err() == nil {
		if batch == nil {
			batch = s.spool.Oldest()
		}
		if batch == nil {
			pause.Reset()
			await(ctx, lookAgain, s.spool.Grown())
			continue
		}
		progress, err := s.replayRequest(ctx, batch)
		switch {
		case len(batch.Records) == 0:
			batch.Done()
			batch = nil
			pause.Reset()
		case progress && err == nil:
			pause.Reset()
		default:
			await(ctx, max(pause.NextBackOff(), retryAfter(err)), nil)
		}
	}
}

// replayRequest sends the next records of a batch, and reports whether any was settled.
func (s *sink) replayRequest(ctx context.Context, batch *spool.Batch) (progress bool, err error) {
	n := requestLength(batch.Records)
	within, cancel := context.WithTimeout(ctx, patience*s.client.spec.timeout)
	defer cancel()
	left, err := s.send(within, batch.Records[:n])
	batch.Records = append(left, batch.Records[n:]...)
	return len(left) < n, err
}

// requestLength is the number of records for the next request, with the limits of a request of the controller.
func requestLength(records []*pluginpb.Record) int {
	size := 0
	for i, r := range records {
		size += proto.Size(r) + 16
		if i == plugin.MaxRecords || i > 0 && size > plugin.MaxMessage {
			return i
		}
	}
	return len(records)
}

func retryAfter(err error) time.Duration {
	var a *awayError
	if errors.As(err, &a) {
		return a.retryAfter
	}
	return 0
}

func await(ctx context.Context, d time.Duration, also <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-also:
	case <-time.After(d):
	}
}
