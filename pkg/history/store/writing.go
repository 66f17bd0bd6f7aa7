package store

import (
	"context"
	"database/sql"
	"fmt"
)

// writing runs the statements of one transaction. Equal statements are prepared once.
type writing struct {
	ctx      context.Context
	tx       *sql.Tx
	dialect  dialect
	prepared map[string]*sql.Stmt
	inserts  map[into]string
}

func newWriting(ctx context.Context, tx *sql.Tx, d dialect) *writing {
	return &writing{ctx: ctx, tx: tx, dialect: d, prepared: map[string]*sql.Stmt{}, inserts: map[into]string{}}
}

// prepare returns nil if the driver keeps prepared statements itself: another preparation would cost a round trip.
func (w *writing) prepare(query string) (*sql.Stmt, error) {
	if s := w.prepared[query]; s != nil || w.dialect.arrays {
		return s, nil
	}
	s, err := w.tx.PrepareContext(w.ctx, w.dialect.bind(query))
	if err != nil {
		return nil, fmt.Errorf("preparing %.60q: %w", query, err)
	}
	w.prepared[query] = s
	return s, nil
}

func (w *writing) exec(query string, args ...any) (changed int64, err error) {
	s, err := w.prepare(query)
	if err != nil {
		return 0, err
	}
	var result sql.Result
	if s != nil {
		result, err = s.ExecContext(w.ctx, args...)
	} else {
		result, err = w.tx.ExecContext(w.ctx, w.dialect.bind(query), args...)
	}
	if err != nil {
		return 0, fmt.Errorf("%.60q: %w", query, err)
	}
	return result.RowsAffected()
}

// query calls each for every row.
func (w *writing) query(query string, args []any, each func(*sql.Rows) error) error {
	s, err := w.prepare(query)
	if err != nil {
		return err
	}
	var rows *sql.Rows
	if s != nil {
		rows, err = s.QueryContext(w.ctx, args...)
	} else {
		rows, err = w.tx.QueryContext(w.ctx, w.dialect.bind(query), args...)
	}
	if err != nil {
		return fmt.Errorf("%.60q: %w", query, err)
	}
	return eachRow(rows, each)
}

// eachRow calls each for every row, and closes rows.
func eachRow(rows *sql.Rows, each func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// into is an INSERT statement without its rows.
type into struct {
	table   string
	columns string // separated by ", "
	suffix  string // behind the rows, such as ON CONFLICT
}

// insert inserts the rows, and calls each for every row that a RETURNING in the suffix returns.
func (w *writing) insert(i into, rows [][]any, each func(*sql.Rows) error) error {
	if len(rows) == 0 {
		return nil
	}
	if w.inserts[i] == "" {
		w.inserts[i] = fmt.Sprintf("INSERT INTO %s (%s) %s %s", i.table, i.columns, w.dialect.source(rows[0]), i.suffix)
	}
	if err := w.run(w.inserts[i], rows, each); err != nil {
		return fmt.Errorf("inserting into %s: %w", i.table, err)
	}
	return nil
}

// among runs a statement for the rows with one of these keys. The statement ends in the columns of the key, such as (fw, attempt).
func (w *writing) among(statement string, keys [][]any, each func(*sql.Rows) error) error {
	if len(keys) == 0 {
		return nil
	}
	return w.run(statement+" IN ("+w.dialect.source(keys[0])+")", keys, each)
}

// run runs a statement with the source of these rows.
func (w *writing) run(statement string, rows [][]any, each func(*sql.Rows) error) error {
	for _, args := range w.dialect.arguments(rows) {
		var err error
		if each != nil {
			err = w.query(statement, args, each)
		} else {
			_, err = w.exec(statement, args...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
