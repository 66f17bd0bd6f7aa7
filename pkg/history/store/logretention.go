package store

import (
	"context"
	"database/sql"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// deleteLogRows is the number of logs that one transaction deletes. Each may have many chunks.
const deleteLogRows = 50

// expireLogs deletes the lines of the oldest logs beyond the limit. Their rows stay, with the reason.
func (s *Store) expireLogs(ctx context.Context) (emptied int, err error) {
	if s.options.RetainLogBytes == 0 {
		return 0, nil
	}
	var total int64
	err = s.readers.QueryRowContext(ctx, "SELECT COALESCE(SUM(stored_bytes), 0) FROM log WHERE stored_bytes > 0").Scan(&total)
	for err == nil && total > s.options.RetainLogBytes {
		var ids []int64
		query := "SELECT id, stored_bytes FROM log WHERE stored_bytes > 0 ORDER BY collected, id LIMIT $1"
		err = s.each(ctx, query, []any{deleteLogRows}, func(r *sql.Rows) error {
			var id, bytes int64
			err := r.Scan(&id, &bytes)
			if total > s.options.RetainLogBytes {
				ids, total = append(ids, id), total-bytes
			}
			return err
		})
		if err != nil || len(ids) == 0 {
			break
		}
		err = s.emptyLogs(ctx, ids)
		emptied += len(ids)
	}
	return emptied, err
}

func (s *Store) emptyLogs(ctx context.Context, ids []int64) error {
	return s.change(ctx, func(w *writing) error {
		for _, id := range ids {
			if _, err := w.exec("DELETE FROM log_chunk WHERE log = $1", id); err != nil {
				return err
			}
			_, err := w.exec(`UPDATE log SET state = $1, error = 'it was deleted, as all logs together had more bytes than the server keeps',
				begins = NULL, ends = NULL, head_bytes = 0, skipped_bytes = 0, tail_bytes = 0, stored_bytes = 0 WHERE id = $2`,
				historyapi.LogNone, id)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
