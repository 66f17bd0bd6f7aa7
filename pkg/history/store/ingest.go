package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

const (
	// A commit takes requests until it has this many records,
	batchRecords = 500
	// or until no further request has arrived for this long. Senders waiting for their acknowledgement are not kept longer.
	linger = 5 * time.Millisecond
	// or until this much time has passed.
	gatherAtMost = 50 * time.Millisecond
	// Requests that wait for the writer; further ones wait in their callers.
	queued = 64
)

// request asks the writer for something. Either records or do is set.
type request struct {
	cluster string
	records []*pluginpb.Record
	do      func(ctx context.Context, tx *sql.Tx) error
	answer  chan error // buffered
}

// counts are for metrics.
type counts struct{ stored, duplicates, refused atomic.Int64 }

// Counts are numbers of records since the start. Duplicates were stored before, or are older than the stored ones. Refused records
// are lost, because the database does not take their values.
type Counts struct{ Stored, Duplicates, Refused int64 }

// Counts returns the numbers so far.
func (s *Store) Counts() Counts {
	return Counts{s.counts.stored.Load(), s.counts.duplicates.Load(), s.counts.refused.Load()}
}

// Ingest stores the records, and returns their keys once all are durable, including records that were already stored. After an
// error the caller does not know, and sends them again.
func (s *Store) Ingest(ctx context.Context, cluster string, records []*pluginpb.Record) (keys []string, err error) {
	if err := s.ask(ctx, &request{cluster: cluster, records: records}); err != nil {
		return nil, err
	}
	keys = make([]string, 0, len(records))
	for _, r := range records {
		keys = append(keys, r.GetKey())
	}
	return keys, nil
}

// ask gives the writer a request, and waits for its end.
func (s *Store) ask(ctx context.Context, r *request) error {
	r.answer = make(chan error, 1)
	select {
	case s.requests <- r:
	case <-s.closing:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-r.answer:
		return err
	case <-s.done:
		select {
		case err := <-r.answer:
			return err
		default:
			return ErrClosed
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write is the only goroutine that writes, so that transactions never wait for each other.
func (s *Store) write() {
	defer close(s.done)
	for {
		select {
		case r := <-s.requests:
			s.commitAll(s.gather(r))
		case <-s.closing:
			s.drain()
			return
		}
	}
}

// drain commits the requests that were accepted before the store was closed.
func (s *Store) drain() {
	for {
		select {
		case r := <-s.requests:
			s.commitAll([]*request{r})
		default:
			return
		}
	}
}

// gather takes further requests into the same transaction.
func (s *Store) gather(first *request) []*request {
	batch, records := []*request{first}, len(first.records)
	end := time.After(gatherAtMost)
	for records < batchRecords {
		select {
		case r := <-s.requests:
			batch, records = append(batch, r), records+len(r.records)
		case <-time.After(linger):
			return batch
		case <-end:
			return batch
		case <-s.closing:
			return batch
		}
	}
	return batch
}

// commitAll commits the requests in one transaction. If that fails, each gets one of its own, so that one with a fault does
// not keep others from being stored.
func (s *Store) commitAll(batch []*request) {
	err := s.commit(batch)
	for _, r := range batch {
		answer := err
		if err != nil && len(batch) > 1 {
			answer = s.commit([]*request{r})
		}
		if refused(answer) {
			answer = s.commitTaken(r, answer)
		}
		if answer != nil {
			s.options.Log.Warn("storing records", "cluster", r.cluster, "records", len(r.records), "error", answer)
		}
		r.answer <- answer
	}
}

// commitTimeout limits one transaction: a database that hangs must not hang the server's stop.
const commitTimeout = 30 * time.Second

func (s *Store) commit(requests []*request) error {
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	defer s.known.forget()
	b := newBatch(s.dialect, s.known)
	for _, r := range requests {
		b.add(r.cluster, r.records)
	}
	if err := b.store(ctx, tx); err != nil {
		return err
	}
	for _, r := range requests {
		if r.do == nil {
			continue
		}
		if err := r.do(ctx, tx); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	b.committed()
	s.rowsStored(b.watched()...)
	s.counts.stored.Add(b.stored)
	s.counts.duplicates.Add(b.duplicates)
	return nil
}
