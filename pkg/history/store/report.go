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

// ReportQuery asks for the requests and the usage of attempts of Tasks that ended in the range.
type ReportQuery struct {
	// By is namespace, code, node, role, rule, or label: with the key of a label behind it.
	By        string
	Namespace string // empty for all
	Range     Range
}

// ErrBy means that a report cannot be grouped like this.
var ErrBy = errors.New("not namespace, code, node, role, rule or label:KEY")

// mostRows limits a report: the groups that lost most are kept.
const mostRows = 1000

// Report adds up the attempts by group: the groups that lost the most first, then the groups that ran the longest.
func (s *Store) Report(ctx context.Context, q ReportQuery) (historyapi.Report, error) {
	report := historyapi.Report{Since: timeOf(q.Range.since()), Until: timeOf(q.Range.until()), By: q.By, Rows: []historyapi.ReportRow{}}
	query, args, err := q.text()
	if err != nil {
		return report, err
	}
	groups := map[string]*historyapi.ReportRow{}
	err = s.each(ctx, query, args, func(r *sql.Rows) error {
		var group string
		var requests *string
		var attempts, failed, run, lost, wait, start int64
		if err := r.Scan(&group, &requests, &attempts, &failed, &run, &lost, &wait, &start); err != nil {
			return err
		}
		row := groups[group]
		if row == nil {
			row = &historyapi.ReportRow{Group: group}
			groups[group] = row
		}
		row.Attempts, row.Failed = row.Attempts+attempts, row.Failed+failed
		row.RunSeconds, row.LostSeconds = row.RunSeconds+seconds(run), row.LostSeconds+seconds(lost)
		row.WaitSeconds, row.StartSeconds = row.WaitSeconds+seconds(wait), row.StartSeconds+seconds(start)
		return addResources(row, requests, run, lost)
	})
	for _, row := range groups {
		report.Rows = append(report.Rows, *row)
	}
	slices.SortFunc(report.Rows, func(a, b historyapi.ReportRow) int {
		return cmp.Or(cmp.Compare(b.LostSeconds, a.LostSeconds), cmp.Compare(b.RunSeconds, a.RunSeconds), cmp.Compare(a.Group, b.Group))
	})
	report.Rows = report.Rows[:min(len(report.Rows), mostRows)]
	return report, err
}

func seconds(ms int64) float64 { return float64(ms) / 1000 }

// addResources multiplies requests by seconds. Attempts with equal requests are in one row, so this is exact.
func addResources(row *historyapi.ReportRow, text *string, run, lost int64) error {
	if text == nil {
		return nil
	}
	var requests map[string]float64
	if err := json.Unmarshal([]byte(*text), &requests); err != nil {
		return err
	}
	if row.ResourceSeconds == nil && len(requests) > 0 {
		row.ResourceSeconds, row.LostResourceSeconds = map[string]float64{}, map[string]float64{}
	}
	for resource, quantity := range requests {
		row.ResourceSeconds[resource] += quantity * seconds(run)
		if lost > 0 {
			row.LostResourceSeconds[resource] += quantity * seconds(lost)
		}
	}
	return nil
}

// lostByFramework is the condition that another attempt of the Framework of u followed.
const lostByFramework = "EXISTS (SELECT 1 FROM framework_attempt a WHERE a.fw = u.fw AND a.attempt = u.fw_attempt AND a.follows)"

// text returns the query. Whole days come from sums, and the rest of the range from attempts.
func (q ReportQuery) text() (query string, args []any, err error) {
	c := &conditions{}
	days, edges := q.days(c)
	if q.By == "node" {
		query = `SELECT grp, q.text, SUM(attempts), SUM(failed), SUM(run_ms), SUM(lost_ms), SUM(wait_ms), SUM(start_ms) FROM (
			SELECT node AS grp, request, attempts, failed, run_ms, lost_ms, wait_ms, start_ms FROM node_usage WHERE ` + days + `
			UNION ALL
			SELECT u.node, u.request, 1, CASE WHEN u.failed THEN 1 ELSE 0 END, u.run_ms,
				CASE WHEN u.follows OR ` + lostByFramework + ` THEN u.run_ms ELSE 0 END, u.wait_ms, u.start_ms
			FROM task_attempt u WHERE ` + edges + `) s LEFT JOIN request q ON q.id = s.request`
		return query + " GROUP BY grp, q.id, q.text", c.args, nil
	}
	group, join, err := q.group(c)
	if err != nil {
		return "", nil, err
	}
	query = `SELECT ` + group + ` AS grp, q.text, SUM(u.attempts), SUM(CASE WHEN ` + failedOutcome + ` THEN u.attempts ELSE 0 END),
		SUM(u.run_ms), SUM(CASE WHEN ` + lostByFramework + ` THEN u.run_ms ELSE u.retried_ms END), SUM(u.wait_ms), SUM(u.start_ms) FROM (
		SELECT fw, fw_attempt, role, outcome, request, attempts, run_ms, retried_ms, wait_ms, start_ms FROM usage WHERE ` + days + `
		UNION ALL
		SELECT u.fw, u.fw_attempt, u.role, u.outcome, u.request, 1, u.run_ms, CASE WHEN u.follows THEN u.run_ms ELSE 0 END, u.wait_ms, u.start_ms
		FROM task_attempt u WHERE ` + edges + `) u
		JOIN framework f ON f.id = u.fw LEFT JOIN outcome o ON o.id = u.outcome LEFT JOIN request q ON q.id = u.request` + join
	c.addText("f.namespace", q.Namespace)
	return query + c.where() + " GROUP BY 1, q.id, q.text", c.args, nil
}

// group returns the expression that rows are grouped by, and the table that it needs.
func (q ReportQuery) group(c *conditions) (expression, join string, err error) {
	switch key, isLabel := strings.CutPrefix(q.By, "label:"); {
	case isLabel && key != "":
		return "COALESCE(l.value, '')", " LEFT JOIN label l ON l.fw = u.fw AND l.key = " + c.arg(clean(key)), nil
	case q.By == "namespace":
		return "f.namespace", "", nil
	case q.By == "code":
		return "CAST(COALESCE(o.code, 0) AS TEXT)", "", nil
	case q.By == "role":
		return "u.role", "", nil
	case q.By == "rule":
		return "COALESCE(o.rule, '')", "", nil
	}
	return "", "", fmt.Errorf("%q: %w", q.By, ErrBy)
}

// days returns the condition for whole days in the range, and the condition for attempts in the rest of it.
func (q ReportQuery) days(c *conditions) (days, edges string) {
	since, until := q.Range.since(), q.Range.until()
	if q.By == "node" && q.Namespace != "" { // the sums by node are over all namespaces
		return "1 = 0", fmt.Sprintf("u.ended >= %s AND u.ended < %s AND u.namespace = %s", c.arg(since), c.arg(until), c.arg(clean(q.Namespace)))
	}
	first, end := dayOf(since+microsPerDay-1), dayOf(until)
	if end <= first {
		return "1 = 0", fmt.Sprintf("u.ended >= %s AND u.ended < %s", c.arg(since), c.arg(until))
	}
	days = fmt.Sprintf("day >= %s AND day < %s", c.arg(first), c.arg(end))
	edges = fmt.Sprintf("(u.ended >= %s AND u.ended < %s OR u.ended >= %s AND u.ended < %s)",
		c.arg(since), c.arg(first*microsPerDay), c.arg(end*microsPerDay), c.arg(until))
	return days, edges
}
