package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/firstfailure"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// ErrNoneEnded means that no Task has ended in an attempt of a Framework.
var ErrNoneEnded = errors.New("no Task has ended in this attempt of the Framework")

// FirstFailure returns the attempt of a Task that failed first in an attempt of a Framework. If attempt is nil, that is the newest
// attempt with a failure, or else the newest one. The error is ErrNotFound if there is no such Framework, and ErrNoneEnded if nothing
// has ended in the attempt.
func (s *Store) FirstFailure(ctx context.Context, namespace, name, uid string, attempt *int32) (answer historyapi.FirstFailure, err error) {
	_, fw, err := s.find(ctx, namespace, name, uid)
	if err != nil {
		return answer, err
	}
	in, err := s.attemptWithFailure(ctx, fw, attempt)
	if err != nil {
		return answer, err
	}
	search, err := s.failures(ctx, fw, in)
	if err != nil {
		return answer, err
	}
	id, answer, found := search.Answer()
	answer.FrameworkAttempt = in
	if !found {
		return answer, nil
	}
	err = s.each(ctx, selectTasks(true, " WHERE t.id = $1", "t.id", "1"), []any{id}, func(r *sql.Rows) error {
		t, _, err := scanTask(r, true)
		answer.Task = &t
		return err
	})
	return answer, err
}

// attemptWithFailure returns the attempt to look at; a nil attempt selects the default. The newest attempt may still run, and have no
// failure yet.
func (s *Store) attemptWithFailure(ctx context.Context, fw int64, attempt *int32) (int32, error) {
	query, args := `SELECT COALESCE((SELECT MAX(fw_attempt) FROM task_attempt WHERE fw = $1 AND failed),
		(SELECT MAX(fw_attempt) FROM task_attempt WHERE fw = $1))`, []any{fw}
	if attempt != nil {
		query, args = "SELECT MAX(fw_attempt) FROM task_attempt WHERE fw = $1 AND fw_attempt = $2", []any{fw, *attempt}
	}
	var found *int32
	err := s.each(ctx, query, args, func(r *sql.Rows) error { return r.Scan(&found) })
	switch {
	case err != nil:
		return 0, err
	case found == nil:
		return 0, ErrNoneEnded
	}
	return *found, nil
}

// failures reads the failures in an attempt of a Framework, without the columns that only the first one needs. They include attempts that
// others ended.
func (s *Store) failures(ctx context.Context, fw int64, attempt int32) (search firstfailure.Search, err error) {
	query := `SELECT t.id, t.role, t.idx, t.attempt, COALESCE(t.containers_ended, t.ended), ` + outcomeColumns + `
		FROM task_attempt t LEFT JOIN outcome o ON o.id = t.outcome WHERE t.fw = $1 AND t.fw_attempt = $2 AND o.type <> '` + succeeded + `'`
	err = s.each(ctx, query, []any{fw, attempt}, func(r *sql.Rows) error {
		var f firstfailure.Failure
		var ended int64
		var o outcome
		if err := r.Scan(append([]any{&f.ID, &f.Role, &f.Index, &f.Attempt, &ended}, o.columns()...)...); err != nil {
			return err
		}
		c := o.completion("", "")
		f.Ended, f.Kind = timeOf(ended), firstfailure.KindOf(&c)
		search.Add(f)
		return nil
	})
	return search, err
}
