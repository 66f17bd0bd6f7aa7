package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// ShadowQuery selects verdicts in shadow. Empty fields select all.
type ShadowQuery struct {
	// The Framework; all if Name is empty. UID selects one of several with the same name; without it, the newest is taken.
	Namespace, Name, UID string
	// Plugin in shadow, or Rule by its code.
	Plugin string
	Rule   *int32
	// Differs leaves out verdicts that would have changed nothing.
	Differs bool
	// Range of the times of the answers.
	Range Range
	Limit int
	After string
}

// With differing outcomes, a verdict in shadow would have changed something.
var differing = []string{historyapi.ShadowOtherType, historyapi.ShadowOtherCode, historyapi.ShadowOtherAdvice}

var differs = "s.comparison IN ('" + strings.Join(differing, "', '") + "')"

func (s *Store) shadowConditions(ctx context.Context, q ShadowQuery) (*conditions, error) {
	c := &conditions{}
	c.add("s.time >= %s AND s.time < %s", q.Range.since(), q.Range.until())
	if q.Name != "" {
		_, id, err := s.find(ctx, q.Namespace, q.Name, q.UID)
		if err != nil {
			return nil, err
		}
		c.add("s.fw = %s", id)
	}
	c.addText("s.namespace", q.Namespace)
	c.addText("s.plugin", q.Plugin)
	if q.Rule != nil {
		c.add("s.plugin = '' AND s.rule = %s", *q.Rule)
	}
	if q.Differs {
		c.texts = append(c.texts, differs)
	}
	return c, nil
}

const selectShadows = `SELECT s.id, s.fw_attempt, s.role, s.idx, s.attempt, s.task_uid, s.time, f.namespace, f.name, f.uid, s.plugin, s.rule, s.comparison,
	s.diagnostics, s.remedy, s.answer, v.code, v.phrase, v.type, v.attributes, v.plugin, v.plugin_version, v.rule, ` + outcomeColumns + `
	FROM shadow_verdict s JOIN framework f ON f.id = s.fw LEFT JOIN outcome o ON o.id = s.decision LEFT JOIN outcome v ON v.id = s.verdict`

// ShadowVerdicts lists the answers of classifiers and rules in shadow, the newest first.
func (s *Store) ShadowVerdicts(ctx context.Context, q ShadowQuery) (page historyapi.Page[historyapi.ShadowVerdict], err error) {
	page.Items = []historyapi.ShadowVerdict{}
	c, err := s.shadowConditions(ctx, q)
	if err != nil {
		return page, err
	}
	if q.After != "" {
		var time, id int64
		if err := readToken(q.After, &time, &id); err != nil {
			return page, err
		}
		c.add("(s.time, s.id) < (%s, %s)", time, id)
	}
	query := selectShadows + c.where() + " ORDER BY s.time DESC, s.id DESC LIMIT " + c.arg(q.Limit+1)
	full := fullness{limit: q.Limit}
	var last int64
	err = s.each(ctx, query, c.args, func(r *sql.Rows) error {
		v, id, err := scanShadow(r)
		if err == nil {
			err = full.add(shadowBytes(&v))
		}
		if err == nil {
			page.Items, last = append(page.Items, v), id
		}
		return err
	})
	if errors.Is(err, errFull) {
		page.Next, err = token(page.Items[len(page.Items)-1].Time.UnixMicro(), last), nil
	}
	return page, err
}

func shadowBytes(v *historyapi.ShadowVerdict) int {
	n := len(v.Answer)
	if v.Verdict != nil {
		n += len(v.Verdict.Diagnostics) + len(v.Verdict.Remedy)
	}
	return n
}

func scanShadow(r *sql.Rows) (v historyapi.ShadowVerdict, id int64, err error) {
	var time int64
	var diagnostics, remedy, answer string
	var decision, verdict outcome
	columns := []any{&id, &v.FrameworkAttempt, &v.Role, &v.Index, &v.Attempt, &v.TaskUID, &time, &v.Namespace, &v.FrameworkName, &v.FrameworkUID,
		&v.Plugin, &v.Rule, &v.Outcome, &diagnostics, &remedy, &answer}
	if err := r.Scan(slices.Concat(columns, verdict.columns(), decision.columns())...); err != nil {
		return v, id, err
	}
	v.Time, v.Decision = timeOf(time), decision.completion("", "")
	if verdict.code != nil {
		would := verdict.completion(diagnostics, remedy)
		v.Verdict = &would
	}
	if answer != "" {
		v.Answer = json.RawMessage(answer)
	}
	return v, id, nil
}

// shadowsOfTask returns the verdicts in shadow on all attempts of a Task, without the Framework.
func (s *Store) shadowsOfTask(ctx context.Context, fw int64, role string, index int32) (all []historyapi.ShadowVerdict, err error) {
	query := selectShadows + " WHERE s.fw = $1 AND s.role = $2 AND s.idx = $3 ORDER BY s.plugin, s.rule LIMIT $4"
	err = s.each(ctx, query, []any{fw, clean(role), index, mostRows}, func(r *sql.Rows) error {
		v, _, err := scanShadow(r)
		v.Namespace, v.FrameworkName, v.FrameworkUID = "", "", ""
		all = append(all, v)
		return err
	})
	return all, err
}

// Shadow compares what is in shadow with the judgments that count: what differed most often comes first.
func (s *Store) Shadow(ctx context.Context, q ShadowQuery) (historyapi.ShadowReport, error) {
	out := historyapi.ShadowReport{Since: timeOf(q.Range.since()), Until: timeOf(q.Range.until()), Rows: []historyapi.ShadowRow{}}
	c, err := s.shadowConditions(ctx, q)
	if err != nil {
		return out, err
	}
	type shadow struct {
		plugin string
		rule   int32
	}
	places := map[shadow]int{}
	query := "SELECT s.plugin, s.rule, s.comparison, COUNT(*) FROM shadow_verdict s" + c.where() + " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
	err = s.each(ctx, query, c.args, func(r *sql.Rows) error {
		var by shadow
		var comparison string
		var n int64
		if err := r.Scan(&by.plugin, &by.rule, &comparison, &n); err != nil {
			return err
		}
		place, known := places[by]
		if !known {
			place, places[by] = len(out.Rows), len(out.Rows)
			out.Rows = append(out.Rows, historyapi.ShadowRow{Plugin: by.plugin, Rule: by.rule, Outcomes: map[string]int64{}, Differences: []historyapi.ShadowDifference{}})
		}
		row := &out.Rows[place]
		row.Answers += n
		row.Outcomes[comparison] += n
		if slices.Contains(differing, comparison) {
			row.Differed += n
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	differences, err := s.differences(ctx, c, "")
	for _, d := range differences {
		if place, known := places[shadow{d.Plugin, d.Rule}]; known {
			out.Rows[place].Differences = append(out.Rows[place].Differences, d)
		}
	}
	slices.SortStableFunc(out.Rows, func(a, b historyapi.ShadowRow) int { return cmp.Compare(b.Differed, a.Differed) })
	return out, err
}

// differences counts equal differences, and in each attempt of a Framework by itself if `also` is ", s.fw_attempt". The example of each is the
// first one.
func (s *Store) differences(ctx context.Context, c *conditions, also string) (all []historyapi.ShadowDifference, err error) {
	outcomes, err := s.outcomesByID(ctx)
	if err != nil {
		return nil, err
	}
	with := conditions{texts: append(slices.Clone(c.texts), differs), args: slices.Clone(c.args)}
	query := fmt.Sprintf(`SELECT s.plugin, s.rule, s.comparison, s.decision, s.verdict, s.n, f.namespace, f.name, s.fw_attempt, s.role, s.idx, s.attempt
		FROM (SELECT s.*, COUNT(*) OVER alike AS n, ROW_NUMBER() OVER (alike ORDER BY s.time, s.role, s.idx, s.attempt, s.id) AS place
			FROM shadow_verdict s%s WINDOW alike AS (PARTITION BY s.plugin, s.rule, s.comparison, s.decision, s.verdict%s)) s
		JOIN framework f ON f.id = s.fw WHERE s.place = 1 ORDER BY s.n DESC, s.time, s.role, s.idx, s.plugin, s.rule LIMIT %s`, with.where(), also, with.arg(mostRows))
	err = s.each(ctx, query, with.args, func(r *sql.Rows) error {
		var d historyapi.ShadowDifference
		var decision, verdict int64
		err := r.Scan(&d.Plugin, &d.Rule, &d.Outcome, &decision, &verdict, &d.Count, &d.Namespace, &d.FrameworkName, &d.FrameworkAttempt, &d.Role, &d.Index, &d.Attempt)
		d.Decision, d.Verdict = outcomes[decision], outcomes[verdict]
		all = append(all, d)
		return err
	})
	return all, err
}

// shadowOf returns the differences in the attempts of a Framework.
func (s *Store) shadowOf(ctx context.Context, fw int64) ([]historyapi.ShadowDifference, error) {
	c := &conditions{}
	c.add("s.fw = %s", fw)
	all, err := s.differences(ctx, c, ", s.fw_attempt")
	for i := range all {
		all[i].Namespace, all[i].FrameworkName = "", ""
	}
	return all, err
}
