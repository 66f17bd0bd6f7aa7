package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// FailureQuery asks how attempts of Tasks have failed on the days, in UTC, that the range touches.
type FailureQuery struct {
	// By is code, node, rule, image, or role.
	By        string
	Namespace string // empty for all
	// Range must have an end.
	Range Range
}

// ErrFailuresBy means that failures cannot be grouped like this.
var ErrFailuresBy = errors.New("not code, node, rule, image or role")

// tally counts the attempts of a group, in the range and in the time of the same length before.
type tally struct {
	attempts, failed, attemptsBefore, failedBefore int64
	of                                             historyapi.Completion // one of the group; zero if it is a node
}

// tallies count all attempts, and the attempts of each group.
type tallies struct {
	all    tally
	groups map[string]*tally
}

func (t *tallies) add(groups []string, of historyapi.Completion, now bool, attempts, failed int64) {
	t.all.add(now, attempts, failed)
	for _, name := range groups {
		if t.groups[name] == nil {
			t.groups[name] = &tally{of: of}
		}
		t.groups[name].add(now, attempts, failed)
	}
}

// Failures counts failed attempts by group: groups that fail more often than others beyond chance come first.
func (s *Store) Failures(ctx context.Context, q FailureQuery) (historyapi.Failures, error) {
	first, end := dayOf(q.Range.since()), dayOf(q.Range.until()-1)+1
	out := historyapi.Failures{Since: timeOf(first * microsPerDay), Until: timeOf(end * microsPerDay), By: q.By, Rows: []historyapi.FailureRow{}}
	c := &conditions{}
	now := "CASE WHEN n.day >= " + c.arg(first) + " THEN 1 ELSE 0 END"
	c.add("n.day >= %s AND n.day < %s", 2*first-end, end) // the time before is as long
	t := tallies{groups: map[string]*tally{}}
	var err error
	if q.By == "node" && q.Namespace == "" {
		err = s.tallyNodes(ctx, now, c, &t)
	} else {
		err = s.tallyOutcomes(ctx, q, now, c, &t)
	}
	out.Attempts, out.Failed = t.all.attempts, t.all.failed
	for name, of := range t.groups {
		if of.failed > 0 {
			out.Rows = append(out.Rows, q.row(name, *of, t.all))
		}
	}
	slices.SortFunc(out.Rows, func(a, b historyapi.FailureRow) int {
		return cmp.Or(cmp.Compare(b.LiftAtLeast, a.LiftAtLeast), cmp.Compare(b.Failed, a.Failed), cmp.Compare(a.Group, b.Group))
	})
	out.Rows = out.Rows[:min(len(out.Rows), mostRows)]
	return out, err
}

// tallyNodes reads the sums by node, which are few, and over all namespaces.
func (s *Store) tallyNodes(ctx context.Context, now string, c *conditions, t *tallies) error {
	query := "SELECT n.node, " + now + ", SUM(n.attempts), SUM(n.failed) FROM node_usage n" + c.where() + " GROUP BY 1, 2"
	return s.each(ctx, query, c.args, func(r *sql.Rows) error {
		var node string
		var now bool
		var attempts, failed int64
		err := r.Scan(&node, &now, &attempts, &failed)
		t.add([]string{node}, historyapi.Completion{}, now, attempts, failed)
		return err
	})
}

// tallyOutcomes reads sums with outcomes. Sums by Framework are fewer than sums by node or image.
func (s *Store) tallyOutcomes(ctx context.Context, q FailureQuery, now string, c *conditions, t *tallies) error {
	from := map[string]string{"code": "CAST('' AS TEXT), %s FROM usage n", "rule": "CAST('' AS TEXT), %s FROM usage n", "role": "n.role, %s FROM usage n",
		"node": "n.node, %s FROM outcome_count n", "image": "n.images, %s FROM outcome_count n"}[q.By]
	switch {
	case from == "":
		return fmt.Errorf("%q: %w", q.By, ErrFailuresBy)
	case strings.Contains(from, "outcome_count"):
		c.addText("n.namespace", q.Namespace)
	case q.Namespace != "":
		from += " JOIN framework f ON f.id = n.fw"
		c.addText("f.namespace", q.Namespace)
	}
	outcomes, err := s.outcomesByID(ctx)
	if err != nil {
		return err
	}
	images := map[string][]string{}
	if q.By == "image" {
		if images, err = s.imagesByID(ctx); err != nil {
			return err
		}
	}
	query := "SELECT " + fmt.Sprintf(from, "n.outcome, "+now+", SUM(n.attempts)") + c.where() + " GROUP BY 1, 2, 3"
	return s.each(ctx, query, c.args, func(r *sql.Rows) error {
		var group string
		var id, attempts, failed int64
		var now bool
		if err := r.Scan(&group, &id, &now, &attempts); err != nil {
			return err
		}
		o := outcomes[id]
		if hasFailed(&o) {
			failed = attempts
		}
		names := q.names(group, o, failed > 0)
		if q.By == "image" {
			names = images[group]
		}
		t.add(names, o, now, attempts, failed)
		return nil
	})
}

func (t *tally) add(now bool, attempts, failed int64) {
	if now {
		t.attempts, t.failed = t.attempts+attempts, t.failed+failed
	} else {
		t.attemptsBefore, t.failedBefore = t.attemptsBefore+attempts, t.failedBefore+failed
	}
}

// names returns the groups of an attempt. Codes and rules group failures only.
func (q FailureQuery) names(group string, o historyapi.Completion, failed bool) []string {
	switch {
	case q.By != "code" && q.By != "rule":
		return []string{group}
	case !failed:
		return nil
	case q.By == "code":
		return []string{strconv.Itoa(int(o.Code)) + " " + o.Phrase}
	case o.Plugin == "" && o.Rule == "":
		return nil // no rule decided
	}
	return []string{o.Plugin + "/" + o.Rule}
}

// imagesByID returns the images of the containers of each row of the table images, by its number.
func (s *Store) imagesByID(ctx context.Context) (map[string][]string, error) {
	all := map[string][]string{}
	err := s.each(ctx, "SELECT id, text FROM images", nil, func(r *sql.Rows) error {
		var id, text string
		err := r.Scan(&id, &text)
		all[id] = imagesIn(text)
		return err
	})
	return all, err
}

func imagesIn(text string) (names []string) {
	var all []historyapi.Container
	if json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	for _, c := range all {
		if !c.Init && c.Image != "" && !slices.Contains(names, c.Image) {
			names = append(names, c.Image)
		}
	}
	return names
}

// row compares a group with all others together. A code or a rule is compared with itself in the time before.
func (q FailureQuery) row(name string, t, all tally) historyapi.FailureRow {
	r := historyapi.FailureRow{Group: name, Attempts: t.attempts, Failed: t.failed}
	switch q.By {
	case "code":
		r.Completion = &historyapi.Completion{Code: t.of.Code, Phrase: t.of.Phrase, Type: t.of.Type, Attributes: t.of.Attributes}
	case "rule":
		r.Plugin, r.Rule = t.of.Plugin, t.of.Rule
	}
	base, of := all.failed-t.failed, all.attempts-t.attempts
	if q.By == "code" || q.By == "rule" {
		r.Attempts = all.attempts
		base, of = t.failedBefore, all.attemptsBefore
	}
	r.Rate = float64(r.Failed) / float64(r.Attempts)
	if of == 0 {
		return r
	}
	r.BaseAttempts, r.BaseFailed, r.BaseRate = of, base, float64(base)/float64(of)
	// One failure more on the other side keeps the lift finite, and modest where there are few numbers.
	smoothed := float64(base+1) / float64(of+1)
	r.Lift, r.LiftAtLeast = r.Rate/smoothed, leastRate(r.Failed, r.Attempts)/smoothed
	return r
}

// leastRate is the lower end of the 95 % confidence interval of a rate, by Wilson's formula.
func leastRate(failed, attempts int64) float64 {
	const z = 1.96
	n := float64(attempts)
	p := float64(failed) / n
	return max(0, (p+z*z/(2*n)-z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n)))/(1+z*z/n))
}

func (s *Store) outcomesByID(ctx context.Context) (map[int64]historyapi.Completion, error) {
	all := map[int64]historyapi.Completion{}
	err := s.each(ctx, "SELECT o.id, "+outcomeColumns+" FROM outcome o", nil, func(r *sql.Rows) error {
		var id int64
		var o outcome
		if err := r.Scan(append([]any{&id}, o.columns()...)...); err != nil {
			return err
		}
		all[id] = o.completion("", "")
		return nil
	})
	return all, err
}
