package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"
)

// deleteRows is the number of rows that one transaction deletes, so that records do not wait long in between.
const deleteRows = 2000

// Expire deletes Frameworks whose newest record is older than Options.Retain, and then the oldest ones until the database is
// not larger than Options.RetainBytes, and logs beyond Options.RetainLogBytes. It returns how many Frameworks it has deleted. Call it
// from time to time.
func (s *Store) Expire(ctx context.Context, now time.Time) (frameworks int, err error) {
	for _, expire := range []func(context.Context, time.Time) (int, error){s.expireByAge, s.expireBySize} {
		n, err := expire(ctx, now)
		frameworks += n
		if err != nil {
			return frameworks, err
		}
	}
	logs, err := s.expireLogs(ctx)
	if err == nil {
		err = s.sweep(ctx, now)
	}
	if err == nil && frameworks+logs > 0 {
		err = s.shrink(ctx)
	}
	return frameworks, err
}

func (s *Store) expireByAge(ctx context.Context, now time.Time) (deleted int, err error) {
	if s.options.Retain == 0 {
		return 0, nil
	}
	before := bounded(now.Add(-s.options.Retain))
	deleted, err = s.deleteWhile(ctx, before, func() (bool, error) { return true, nil })
	if err == nil {
		err = s.deleteDays(ctx, dayOf(before))
	}
	return deleted, err
}

func (s *Store) expireBySize(ctx context.Context, _ time.Time) (deleted int, err error) {
	if s.options.RetainBytes == 0 {
		return 0, nil
	}
	if size, err := s.Size(ctx); err != nil || size <= s.options.RetainBytes {
		return 0, err
	}
	if s.dialect.estimate != "" {
		if err := s.change(ctx, func(w *writing) error { _, err := w.exec(s.dialect.estimate); return err }); err != nil {
			return 0, err
		}
	}
	days := int64(math.MinInt64)
	return s.deleteWhile(ctx, math.MaxInt64, func() (bool, error) {
		var first *int64
		if err := s.readers.QueryRowContext(ctx, "SELECT MIN(day) FROM usage").Scan(&first); err != nil {
			return false, err
		}
		if first != nil && *first > days {
			days = *first
			if err := s.deleteDays(ctx, days); err != nil {
				return false, err
			}
		}
		var used int64
		err := s.readers.QueryRowContext(ctx, s.dialect.used).Scan(&used)
		return used > s.options.RetainBytes, err
	})
}

// deleteDays deletes the sums over all Frameworks of the days before that one.
func (s *Store) deleteDays(ctx context.Context, before int64) error {
	return s.change(ctx, func(w *writing) error {
		for _, table := range []string{"node_usage", "outcome_count"} {
			if _, err := w.exec("DELETE FROM "+table+" WHERE day < $1", before); err != nil {
				return err
			}
		}
		return nil
	})
}

// change runs statements in a transaction between the transactions of records.
func (s *Store) change(ctx context.Context, do func(w *writing) error) error {
	return s.ask(ctx, &request{do: func(ctx context.Context, tx *sql.Tx) error { return do(newWriting(ctx, tx, s.dialect)) }})
}

// oldest is the next Framework to delete, with the time of its newest record.
type oldest struct{ fw, updated int64 }

// deleteWhile deletes Frameworks with records before that time only, the oldest first, as long as more must go.
func (s *Store) deleteWhile(ctx context.Context, before int64, more func() (bool, error)) (deleted int, err error) {
	for {
		if goOn, err := more(); err != nil || !goOn {
			return deleted, err
		}
		var o oldest
		err := s.readers.QueryRowContext(ctx, s.dialect.bind("SELECT id, updated FROM framework WHERE updated < $1 ORDER BY updated LIMIT 1"),
			before).Scan(&o.fw, &o.updated)
		if errors.Is(err, sql.ErrNoRows) {
			return deleted, nil
		}
		if err != nil {
			return deleted, err
		}
		gone, err := s.deleteFramework(ctx, o)
		if err != nil {
			return deleted, err
		}
		if gone {
			deleted++
		}
	}
}

// deleteFramework deletes a Framework with all its rows, in several transactions if they are many. The Framework itself is deleted in the
// last one: after a crash the rest is found again.
func (s *Store) deleteFramework(ctx context.Context, o oldest) (gone bool, err error) {
	for {
		var same int64
		var last bool
		err := s.change(ctx, func(w *writing) (err error) {
			// The Framework's row is locked from here on, so no record can be stored while its rows are deleted. A record stored before
			// makes the Framework younger: then it stays.
			same, err = w.exec("UPDATE framework SET updated = updated WHERE id = $1 AND updated = $2", o.fw, o.updated)
			if err == nil && same > 0 {
				last, err = deletePart(w, o.fw)
			}
			return err
		})
		if err != nil || same == 0 || last {
			return err == nil && same > 0, err
		}
	}
}

// deletePart deletes some rows about a Framework, and the Framework itself if no others are left.
func deletePart(w *writing, fw int64) (last bool, err error) {
	const someLogs = "(SELECT id FROM log WHERE fw = $1 ORDER BY id LIMIT $2)"
	if _, err := w.exec("DELETE FROM log_chunk WHERE log IN "+someLogs, fw, deleteLogRows); err != nil {
		return false, err
	}
	if n, err := w.exec("DELETE FROM log WHERE id IN "+someLogs, fw, deleteLogRows); err != nil || n == deleteLogRows {
		return false, err
	}
	room := int64(deleteRows)
	for _, t := range []struct{ table, key string }{
		{"task_attempt", "id"}, {"verdict", "id"}, {"shadow_verdict", "id"}, {"happening", "key"}, {"framework_attempt", "key"},
	} {
		n, err := w.exec("DELETE FROM "+t.table+" WHERE "+t.key+" IN (SELECT "+t.key+" FROM "+t.table+" WHERE fw = $1 LIMIT $2)", fw, room)
		if room -= n; err != nil || room == 0 {
			return false, err
		}
	}
	if n, err := deleteUses(w, fw, room); err != nil || n == room {
		return false, err
	}
	for _, query := range []string{"DELETE FROM usage WHERE fw = $1", "DELETE FROM label WHERE fw = $1", "DELETE FROM framework WHERE id = $1"} {
		if _, err := w.exec(query, fw); err != nil {
			return false, err
		}
	}
	return true, nil
}

// shrinkPages is the number of pages that one transaction gives back.
const shrinkPages = 4096

// shrink returns free pages to the file system. PostgreSQL does so by itself.
func (s *Store) shrink(ctx context.Context) error {
	for s.dialect.name == sqlite.name {
		var free int
		if err := s.readers.QueryRowContext(ctx, "SELECT freelist_count FROM pragma_freelist_count").Scan(&free); err != nil || free == 0 {
			return err
		}
		err := s.change(ctx, func(w *writing) error {
			return w.query(fmt.Sprintf("PRAGMA incremental_vacuum(%d)", shrinkPages), nil, func(*sql.Rows) error { return nil })
		})
		if err != nil || free <= shrinkPages {
			return err
		}
	}
	return nil
}
