package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
)

// LogQuery selects logs of one Framework. Empty fields select all.
type LogQuery struct {
	// UID selects one of several Frameworks with the same name; without it, the newest is taken.
	Namespace, Name, UID string
	Attempt              *int32
	Role                 string
	Index                *int32
	Limit                int
	After                string
}

const logColumns = `l.id, l.fw_attempt, l.role, l.idx, l.attempt, l.pod, l.pod_uid, l.container, l.init, l.start, l.state, l.error,
	l.begins, l.ends, l.head_bytes, l.skipped_bytes, l.tail_bytes, l.stored_bytes, l.position,
	EXISTS (SELECT 1 FROM log n WHERE n.fw = l.fw AND n.fw_attempt = l.fw_attempt AND n.role = l.role AND n.idx = l.idx
		AND n.attempt = l.attempt AND n.pod_uid = l.pod_uid AND n.container = l.container AND n.start > l.start)`

// storedLogRow is a log with the values that only the store knows.
type storedLogRow struct {
	historyapi.Log
	id       int64
	position int32
}

func scanLog(r *sql.Rows) (l storedLogRow, err error) {
	var begins, ends *int64
	var head, skipped, tail int64
	err = r.Scan(&l.id, &l.FrameworkAttempt, &l.Role, &l.Index, &l.Attempt, &l.Pod, &l.PodUID, &l.Container, &l.Init, &l.Start, &l.State,
		&l.Error, &begins, &ends, &head, &skipped, &tail, &l.StoredBytes, &l.position, &l.Previous)
	l.Begins, l.Ends, l.Bytes = timeOrNil(begins), timeOrNil(ends), head+tail
	if skipped != 0 {
		l.Truncated = &historyapi.LogTruncation{HeadBytes: head, SkippedBytes: skipped, TailBytes: tail}
	}
	return l, err
}

// Logs lists logs: the newest attempt of the Framework first, and in it the last that was collected.
func (s *Store) Logs(ctx context.Context, q LogQuery) (page historyapi.Page[historyapi.Log], err error) {
	page.Items = []historyapi.Log{}
	_, fw, err := s.find(ctx, q.Namespace, q.Name, q.UID)
	if err != nil {
		return page, err
	}
	c := &conditions{}
	c.add("l.fw = %s", fw)
	if q.Attempt != nil {
		c.add("l.fw_attempt = %s", *q.Attempt)
	}
	if q.Index != nil {
		c.add("l.idx = %s", *q.Index)
	}
	c.addText("l.role", q.Role)
	if q.After != "" {
		var attempt int32
		var id int64
		if err := readToken(q.After, &attempt, &id); err != nil {
			return page, err
		}
		c.add("(l.fw_attempt, l.id) < (%s, %s)", attempt, id)
	}
	var last storedLogRow
	more := false
	query := "SELECT " + logColumns + " FROM log l" + c.where() + " ORDER BY l.fw_attempt DESC, l.id DESC LIMIT " + c.arg(q.Limit+1)
	err = s.each(ctx, query, c.args, func(r *sql.Rows) error {
		if more = len(page.Items) == q.Limit; more {
			return nil
		}
		last, err = scanLog(r)
		page.Items = append(page.Items, last.Log)
		return err
	})
	if more {
		page.Next = token(last.FrameworkAttempt, last.id)
	}
	return page, err
}

// TaskLogQuery selects one log.
type TaskLogQuery struct {
	Namespace, Name, UID, Role string
	Index                      int32
	// Attempt of the Framework, and of the Task in it; nil is the last that is known.
	Attempt, TaskAttempt *int32
	// Container is the first that is no init container if it is empty.
	Container string
	// Previous selects the start before the last.
	Previous bool
}

// ErrNoAttempt and ErrNoLog mean that the Task has no such attempt, and that nothing is kept of its log. Their texts are for users.
var (
	ErrNoAttempt = errors.New("no such attempt")
	ErrNoLog     = errors.New("no log was kept")
)

// LogText is a log whose lines can be read.
type LogText struct {
	historyapi.Log
	// Chunks are its blocks, in their order.
	Chunks []logs.Chunk
	id     int64
	store  *Store
}

// TaskLog finds one log.
func (s *Store) TaskLog(ctx context.Context, q TaskLogQuery) (*LogText, error) {
	_, fw, err := s.find(ctx, q.Namespace, q.Name, q.UID)
	if err != nil {
		return nil, err
	}
	if err := s.lastAttempt(ctx, fw, &q); err != nil {
		return nil, err
	}
	found, err := s.logsOfTask(ctx, fw, q)
	if err != nil {
		return nil, err
	}
	chosen, err := q.choose(found)
	if err != nil {
		return nil, err
	}
	text := &LogText{Log: chosen.Log, id: chosen.id, store: s}
	err = s.each(ctx, "SELECT part, seq, first, last, lines, bytes FROM log_chunk WHERE log = $1 ORDER BY part, seq", []any{chosen.id},
		func(r *sql.Rows) error {
			var c logs.Chunk
			err := r.Scan(&c.Part, &c.Seq, &c.First, &c.Last, &c.Lines, &c.Bytes)
			text.Chunks = append(text.Chunks, c)
			return err
		})
	return text, err
}

// lastAttempt completes the query with the last attempt that has a log or has ended.
func (s *Store) lastAttempt(ctx context.Context, fw int64, q *TaskLogQuery) error {
	c := &conditions{}
	c.add("fw = %s", fw)
	c.add("role = %s", clean(q.Role))
	c.add("idx = %s", q.Index)
	if q.Attempt != nil {
		c.add("fw_attempt = %s", *q.Attempt)
	}
	if q.TaskAttempt != nil {
		c.add("attempt = %s", *q.TaskAttempt)
	}
	found := false
	query := "SELECT fw_attempt, attempt FROM log" + c.where() + " UNION ALL SELECT fw_attempt, attempt FROM task_attempt" + c.where() +
		" ORDER BY fw_attempt DESC, attempt DESC LIMIT 1"
	err := s.each(ctx, query, c.args, func(r *sql.Rows) error {
		found = true
		return r.Scan(&q.Attempt, &q.TaskAttempt)
	})
	if err == nil && !found {
		err = fmt.Errorf("%w of Task %s-%d in the history%s", ErrNoAttempt, q.Role, q.Index, q.attempts())
	}
	return err
}

// attempts names the attempts that were asked for.
func (q *TaskLogQuery) attempts() (text string) {
	if q.Attempt != nil {
		text += fmt.Sprintf(": attempt %d of the Framework", *q.Attempt)
	}
	if q.TaskAttempt != nil {
		text += fmt.Sprintf(": attempt %d of the Task", *q.TaskAttempt)
	}
	return text
}

func (s *Store) logsOfTask(ctx context.Context, fw int64, q TaskLogQuery) (found []storedLogRow, err error) {
	c := &conditions{}
	c.add("l.fw = %s", fw)
	c.add("l.fw_attempt = %s", *q.Attempt)
	c.add("l.role = %s", clean(q.Role))
	c.add("l.idx = %s", q.Index)
	c.add("l.attempt = %s", *q.TaskAttempt)
	c.addText("l.container", q.Container)
	err = s.each(ctx, "SELECT "+logColumns+" FROM log l"+c.where()+" ORDER BY l.init, l.position, l.container, l.start DESC", c.args,
		func(r *sql.Rows) error {
			l, err := scanLog(r)
			found = append(found, l)
			return err
		})
	return found, err
}

// choose returns the log that is meant: the last start of the first container, or the start before.
func (q *TaskLogQuery) choose(found []storedLogRow) (storedLogRow, error) {
	of := fmt.Sprintf("attempt %d of Task %s-%d in attempt %d of the Framework", *q.TaskAttempt, q.Role, q.Index, *q.Attempt)
	if q.Container != "" {
		of = fmt.Sprintf("container %s in %s", q.Container, of)
	}
	if len(found) == 0 {
		return storedLogRow{}, fmt.Errorf("%w of %s: the server may be configured to keep none, or was not asked in time", ErrNoLog, of)
	}
	for _, l := range found {
		if l.Container != found[0].Container || l.Previous != q.Previous {
			continue
		}
		if l.State == historyapi.LogNone {
			return l, fmt.Errorf("%w of %s: %s", ErrNoLog, of, l.Error)
		}
		return l, nil
	}
	return storedLogRow{}, fmt.Errorf("%w of %s: its container was not started again, or only that log is there: leave out previous", ErrNoLog, of)
}

// Text returns the lines. They are read as long as ctx lasts.
func (t *LogText) Text(ctx context.Context) logs.Text {
	text := logs.Text{Chunks: t.Chunks, Read: func(c logs.Chunk) (*logs.Block, error) {
		var data []byte
		err := t.store.readers.QueryRowContext(ctx,
			t.store.dialect.bind("SELECT data FROM log_chunk WHERE log = $1 AND part = $2 AND seq = $3"), t.id, c.Part, c.Seq).Scan(&data)
		if err != nil {
			return nil, fmt.Errorf("reading a log: %w", err)
		}
		return logs.Unpack(data)
	}}
	if t.Truncated != nil {
		text.Skipped = t.Truncated.SkippedBytes
	}
	return text
}
