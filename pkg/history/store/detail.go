package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

const (
	// The attempts of a Framework that one answer has: the newest.
	mostAttempts = 1000
	// The same for happenings.
	mostHappenings = 1000
)

// Framework returns the Framework with the UID, or the newest of that name if the UID is empty. ErrNotFound if there is none.
func (s *Store) Framework(ctx context.Context, namespace, name, uid string) (*historyapi.FrameworkDetail, error) {
	d := &historyapi.FrameworkDetail{Attempts: []historyapi.FrameworkAttempt{}, Happenings: []historyapi.Happening{},
		Outcomes: []historyapi.OutcomeCount{}}
	f, id, err := s.find(ctx, namespace, name, uid)
	if err != nil {
		return nil, err
	}
	d.Framework = f
	if d.Attempts, err = s.attempts(ctx, id); err != nil {
		return nil, err
	}
	if d.Happenings, err = s.happenings(ctx, id); err != nil {
		return nil, err
	}
	usage, err := s.usageOf(ctx, id)
	if err != nil {
		return nil, err
	}
	d.Usage = usage[id]
	if d.Outcomes, err = s.outcomes(ctx, id); err != nil {
		return nil, err
	}
	d.Shadow, err = s.shadowOf(ctx, id)
	return d, err
}

// usageOf adds up the usage of each of some Frameworks.
func (s *Store) usageOf(ctx context.Context, fws ...int64) (map[int64]historyapi.Usage, error) {
	sums, c := map[int64]*historyapi.ReportRow{}, &conditions{}
	query := `SELECT u.fw, q.text, SUM(u.run_ms), SUM(CASE WHEN ` + lostByFramework + ` THEN u.run_ms ELSE u.retried_ms END)
		FROM usage u LEFT JOIN request q ON q.id = u.request WHERE u.fw IN (` + c.ids(fws) + `) GROUP BY u.fw, q.text`
	err := s.each(ctx, query, c.args, func(r *sql.Rows) error {
		var fw, run, lost int64
		var requests *string
		if err := r.Scan(&fw, &requests, &run, &lost); err != nil {
			return err
		}
		sum := sums[fw]
		if sum == nil {
			sum = &historyapi.ReportRow{}
			sums[fw] = sum
		}
		sum.RunSeconds, sum.LostSeconds = sum.RunSeconds+seconds(run), sum.LostSeconds+seconds(lost)
		return addResources(sum, requests, run, lost)
	})
	all := map[int64]historyapi.Usage{}
	for fw, sum := range sums {
		all[fw] = historyapi.Usage{RunSeconds: sum.RunSeconds, LostSeconds: sum.LostSeconds, ResourceSeconds: sum.ResourceSeconds,
			LostResourceSeconds: sum.LostResourceSeconds}
	}
	return all, err
}

func (s *Store) find(ctx context.Context, namespace, name, uid string) (f historyapi.Framework, id int64, err error) {
	c := &conditions{}
	c.add("f.namespace = %s", clean(namespace))
	c.add("f.name = %s", clean(name))
	c.addText("f.uid", uid)
	query := "SELECT " + frameworkColumns + " FROM framework f LEFT JOIN outcome o ON o.id = f.outcome" + c.where() +
		" ORDER BY f.created DESC, f.uid DESC LIMIT 1"
	err = s.each(ctx, query, c.args, func(r *sql.Rows) (err error) {
		f, id, err = scanFramework(r)
		return err
	})
	if err == nil && id == 0 {
		err = ErrNotFound
	}
	return f, id, err
}

func (s *Store) attempts(ctx context.Context, fw int64) (all []historyapi.FrameworkAttempt, err error) {
	all = []historyapi.FrameworkAttempt{}
	query := `SELECT a.attempt, a.began, a.placed, a.ran, a.ended, a.diagnostics, a.remedy, a.trigger_role, a.trigger_index, a.tasks,
		a.follows, a.retry_row, a.delay, ` + outcomeColumns + `
		FROM framework_attempt a LEFT JOIN outcome o ON o.id = a.outcome WHERE a.fw = $1 ORDER BY a.attempt DESC LIMIT $2`
	err = s.each(ctx, query, []any{fw, mostAttempts}, func(r *sql.Rows) error {
		var a historyapi.FrameworkAttempt
		var began, ended int64
		var placed, ran *int64
		var diagnostics, remedy string
		var index int32
		var o outcome
		err := r.Scan(append([]any{&a.ID, &began, &placed, &ran, &ended, &diagnostics, &remedy, &a.TriggerRole, &index, &a.Tasks,
			&a.Retry.Follows, &a.Retry.Row, &a.Retry.DelaySeconds}, o.columns()...)...)
		if a.TriggerRole != "" {
			a.TriggerIndex = &index
		}
		a.Began, a.Placed, a.Ran, a.Ended = timeOf(began), timeOrNil(placed), timeOrNil(ran), timeOf(ended)
		a.Completion = o.completion(diagnostics, remedy)
		all = append(all, a)
		return err
	})
	return all, err
}

// happenings returns them in the order of time.
func (s *Store) happenings(ctx context.Context, fw int64) (all []historyapi.Happening, err error) {
	all = []historyapi.Happening{}
	query := "SELECT time, fw_attempt, reason, facts FROM happening WHERE fw = $1 ORDER BY time DESC, key LIMIT $2"
	err = s.each(ctx, query, []any{fw, mostHappenings}, func(r *sql.Rows) error {
		var h historyapi.Happening
		var time int64
		var facts string
		if err := r.Scan(&time, &h.FrameworkAttempt, &h.Reason, &facts); err != nil {
			return err
		}
		h.Time = timeOf(time)
		all = append(all, h)
		return json.Unmarshal([]byte(facts), &all[len(all)-1].Facts)
	})
	slices.Reverse(all)
	return all, err
}

// outcomes adds up the usage of a Framework by attempt, role and outcome, the newest attempt first.
func (s *Store) outcomes(ctx context.Context, fw int64) (all []historyapi.OutcomeCount, err error) {
	type group struct {
		attempt int32
		role    string
		outcome int64
	}
	places := map[group]int{}
	all = []historyapi.OutcomeCount{}
	query := `SELECT u.fw_attempt, u.role, u.outcome, u.attempts, u.first_ended, u.first_idx, ` + outcomeColumns + `
		FROM usage u LEFT JOIN outcome o ON o.id = u.outcome WHERE u.fw = $1`
	err = s.each(ctx, query, []any{fw}, func(r *sql.Rows) error {
		var g group
		var n, ended int64
		var index int32
		var o outcome
		err := r.Scan(append([]any{&g.attempt, &g.role, &g.outcome, &n, &ended, &index}, o.columns()...)...)
		if err != nil {
			return err
		}
		place, ok := places[g]
		if !ok {
			c := o.completion("", "")
			place, places[g] = len(all), len(all)
			all = append(all, historyapi.OutcomeCount{FrameworkAttempt: g.attempt, Role: g.role, Code: c.Code, Phrase: c.Phrase,
				Type: c.Type, Attributes: c.Attributes, FirstEnded: timeOf(ended), FirstIndex: index})
		}
		into := &all[place]
		into.Count += n
		if first := timeOf(ended); first.Before(into.FirstEnded) {
			into.FirstEnded, into.FirstIndex = first, index
		}
		return nil
	})
	slices.SortFunc(all, func(a, b historyapi.OutcomeCount) int {
		return cmp.Or(cmp.Compare(b.FrameworkAttempt, a.FrameworkAttempt), cmp.Compare(a.Role, b.Role),
			a.FirstEnded.Compare(b.FirstEnded), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Phrase, b.Phrase))
	})
	return all, err
}
