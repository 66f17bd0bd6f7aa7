package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// NewLog is a log to be stored.
type NewLog struct {
	LogKey
	Framework   *pluginpb.Framework
	Role        string
	Index       int32
	TaskAttempt int32
	Pod         string
	// Position of the container in its Pod, init containers first, from 0.
	Position int
	Init     bool
	// State is a state of historyapi, and Error says why the log is cut or missing.
	State, Error string
	Parts        logs.Parts
	// Time of the collection.
	Time time.Time
}

// LogKey identifies a log: of one start of a container, counted from 0.
type LogKey struct {
	Cluster, PodUID, Container string
	Start                      int32
}

func (k LogKey) digest() digest {
	return digestOf("log", name(k.Cluster), name(k.PodUID), name(k.Container), strconv.Itoa(int(k.Start)))
}

// chunk is a row of log_chunk.
type chunk struct {
	block *logs.Block
	data  []byte
}

// LogComplete reports whether the whole log is stored.
func (s *Store) LogComplete(ctx context.Context, k LogKey) (bool, error) {
	var state string
	key := k.digest()
	err := s.readers.QueryRowContext(ctx, s.dialect.bind("SELECT state FROM log WHERE key = $1"), key[:]).Scan(&state)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return state == historyapi.LogComplete, err
}

// SaveLog stores a log in place of the stored one, unless that is complete or longer.
func (s *Store) SaveLog(ctx context.Context, l NewLog) error {
	var chunks [2][]chunk
	for part, blocks := range [2][]*logs.Block{l.Parts.Head, l.Parts.Tail} {
		for _, b := range blocks {
			data, err := b.Pack()
			if err != nil {
				return err
			}
			chunks[part] = append(chunks[part], chunk{b, data})
		}
	}
	err := s.ask(ctx, &request{cluster: l.Cluster, do: func(ctx context.Context, tx *sql.Tx) error {
		w := newWriting(ctx, tx, s.dialect)
		b := newBatch(s.dialect, s.known)
		fw := b.framework(l.Cluster, &pluginpb.Record{Framework: l.Framework, Time: timestamppb.New(l.Time)})
		if err := b.identify(w); err != nil {
			return err
		}
		return saveLog(w, fw.id, l, chunks)
	}})
	if err == nil {
		s.rowsStored(Watched{name(l.Framework.GetNamespace()), name(l.Framework.GetName()), name(l.Framework.GetUid())})
	}
	return err
}

func saveLog(w *writing, fw int64, l NewLog, chunks [2][]chunk) error {
	var id, bytes int64
	var state string
	key := l.digest()
	err := w.query("SELECT id, state, head_bytes + tail_bytes FROM log WHERE key = $1", []any{key[:]}, func(r *sql.Rows) error {
		return r.Scan(&id, &state, &bytes)
	})
	if err != nil {
		return err
	}
	more := l.State == historyapi.LogComplete || l.Parts.HeadBytes+l.Parts.TailBytes >= bytes
	done := state == historyapi.LogComplete || !more && (state != historyapi.LogReading || l.State == historyapi.LogReading)
	if id != 0 && done {
		return nil
	}
	row := rowOf(l, chunks)
	if id == 0 {
		id, err = row.insert(w, key, fw, l)
	} else {
		err = row.update(w, id, l)
	}
	if err != nil {
		return err
	}
	if _, err := w.exec("DELETE FROM log_chunk WHERE log = $1", id); err != nil {
		return err
	}
	return insertChunks(w, id, chunks)
}

// logRow has the columns of a log that change.
type logRow struct {
	state, error                string
	collected                   int64
	begins, ends                *int64
	head, skipped, tail, stored int64
}

func rowOf(l NewLog, chunks [2][]chunk) logRow {
	row := logRow{state: l.State, error: clean(l.Error), collected: bounded(l.Time),
		head: l.Parts.HeadBytes, skipped: l.Parts.Skipped, tail: l.Parts.TailBytes}
	for _, part := range chunks {
		for _, c := range part {
			row.stored += int64(len(c.data))
			if c.block.First == 0 {
				continue
			}
			first, last := c.block.First/1000, c.block.Last/1000
			if row.begins == nil || first < *row.begins {
				row.begins = &first
			}
			if row.ends == nil || last > *row.ends {
				row.ends = &last
			}
		}
	}
	return row
}

const newLogColumns = `
	key, fw, fw_attempt, role, idx, attempt, pod, pod_uid, container, position, init, start, state, error, collected, begins, ends,
	head_bytes, skipped_bytes, tail_bytes, stored_bytes`

func (r *logRow) insert(w *writing, key digest, fw int64, l NewLog) (id int64, err error) {
	columns := into{"log", newLogColumns, "RETURNING id"}
	err = w.insert(columns, [][]any{{key[:], fw, l.Framework.GetAttemptId(), name(l.Role), l.Index, l.TaskAttempt, name(l.Pod),
		name(l.PodUID), name(l.Container), l.Position, l.Init, l.Start, r.state, r.error, r.collected, r.begins, r.ends, r.head,
		r.skipped, r.tail, r.stored}}, func(rows *sql.Rows) error { return rows.Scan(&id) })
	return id, err
}

func (r *logRow) update(w *writing, id int64, l NewLog) error {
	_, err := w.exec(`UPDATE log SET position = $1, init = $2, state = $3, error = $4, collected = $5, begins = $6, ends = $7,
		 head_bytes = $8, skipped_bytes = $9, tail_bytes = $10, stored_bytes = $11 WHERE id = $12`,
		l.Position, l.Init, r.state, r.error, r.collected, r.begins, r.ends, r.head, r.skipped, r.tail, r.stored, id)
	return err
}

func insertChunks(w *writing, log int64, chunks [2][]chunk) error {
	for part, all := range chunks {
		var rows [][]any
		for seq, c := range all {
			rows = append(rows, []any{log, part, seq, c.block.First / 1000, c.block.Last / 1000, c.block.Lines, c.block.Size(), c.data})
		}
		if err := w.insert(into{"log_chunk", "log, part, seq, first, last, lines, bytes, data", ""}, rows, nil); err != nil {
			return err
		}
	}
	return nil
}
