package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// FrameworkQuery selects Frameworks that existed in the range. Empty fields select all.
type FrameworkQuery struct {
	Cluster, Namespace, Name string
	State                    string
	Labels                   labels.Selector
	Code                     *int32
	// Type is Succeeded, Failed, or an attribute such as Transient, of the last attempt.
	Type string
	// Node selects Frameworks with an attempt of a Task on this node that ended in the range.
	Node string
	// Failed selects Frameworks that failed in their last attempt.
	Failed bool
	Range  Range
	Limit  int
	// After is the token of the page; empty for the first one.
	After string
	// Details adds usage and the latest attempts.
	Details bool
}

const frameworkColumns = `f.id, f.cluster, f.namespace, f.name, f.uid, f.labels, f.state, f.queue, f.template_digest, f.created,
	f.completed, f.tasks, f.retries, f.accountable_retries, f.diagnostics, f.remedy, f.links, f.absent, ` + outcomeColumns

// Frameworks lists Frameworks, the newest first by creation and UID.
func (s *Store) Frameworks(ctx context.Context, q FrameworkQuery) (page historyapi.Page[historyapi.Framework], err error) {
	page.Items = []historyapi.Framework{}
	c, err := q.conditions()
	if err != nil {
		return page, err
	}
	query := "SELECT " + frameworkColumns + " FROM framework f LEFT JOIN outcome o ON o.id = f.outcome" + c.where() +
		" ORDER BY f.created DESC, f.uid DESC LIMIT " + c.arg(q.Limit+1)
	var ids []int64
	err = s.each(ctx, query, c.args, func(r *sql.Rows) error {
		f, id, err := scanFramework(r)
		page.Items, ids = append(page.Items, f), append(ids, id)
		return err
	})
	if len(page.Items) > q.Limit {
		page.Items = page.Items[:q.Limit]
		last := page.Items[q.Limit-1]
		page.Next = token(last.Created.UnixMicro(), last.UID)
	}
	if err == nil && q.Details {
		err = s.addDetails(ctx, page.Items, ids[:len(page.Items)])
	}
	return page, err
}

// mostLatest is the number of attempts of each Framework in a list.
const mostLatest = 24

// addDetails adds usage and the latest attempts to Frameworks with these ids.
func (s *Store) addDetails(ctx context.Context, all []historyapi.Framework, ids []int64) error {
	places := map[int64]*historyapi.Framework{}
	for i, id := range ids {
		places[id] = &all[i]
	}
	usage, err := s.usageOf(ctx, ids...)
	if err != nil {
		return err
	}
	for id, f := range places {
		f.Usage = new(usage[id])
	}
	c := &conditions{}
	query := `SELECT a.fw, a.attempt, a.began, a.ended, ` + outcomeColumns + ` FROM (SELECT fw, attempt, began, ended, outcome,
		ROW_NUMBER() OVER (PARTITION BY fw ORDER BY attempt DESC) AS place FROM framework_attempt WHERE fw IN (` + c.ids(ids) + `)) a
		LEFT JOIN outcome o ON o.id = a.outcome WHERE a.place <= ` + c.arg(mostLatest) + ` ORDER BY a.fw, a.attempt DESC`
	return s.each(ctx, query, c.args, func(r *sql.Rows) error {
		var fw, began, ended int64
		var a historyapi.AttemptOutcome
		var o outcome
		if err := r.Scan(append([]any{&fw, &a.ID, &began, &ended}, o.columns()...)...); err != nil {
			return err
		}
		a.Began, a.Ended, a.Completion = timeOf(began), timeOf(ended), o.completion("", "")
		places[fw].LatestAttempts = append(places[fw].LatestAttempts, a)
		return nil
	})
}

func (q FrameworkQuery) conditions() (*conditions, error) {
	c := &conditions{}
	c.add("f.created < %s", q.Range.until())
	c.add("(f.ended IS NULL OR f.ended >= %s)", q.Range.since())
	c.addText("f.cluster", q.Cluster)
	c.addText("f.namespace", q.Namespace)
	c.addText("f.name", q.Name)
	c.addText("f.state", q.State)
	if q.Code != nil {
		c.add("o.code = %s", *q.Code)
	}
	if q.Failed {
		c.add("o.type <> %s", succeeded)
	}
	c.addType("f.outcome", q.Type)
	if q.Node != "" {
		c.add("f.id IN (SELECT fw FROM task_attempt WHERE node = %s AND ended >= %s AND ended < %s)",
			clean(q.Node), q.Range.since(), q.Range.until())
	}
	c.addLabels(q.Labels)
	if q.After != "" {
		var created int64
		var uid string
		if err := readToken(q.After, &created, &uid); err != nil {
			return nil, err
		}
		c.add("(f.created, f.uid) < (%s, %s)", created, clean(uid))
	}
	return c, nil
}

// addLabels adds a condition for each requirement of a selector, with the meaning that it has in Kubernetes.
func (c *conditions) addLabels(selector labels.Selector) {
	if selector == nil {
		return
	}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		exists := "EXISTS (SELECT 1 FROM label l WHERE l.fw = f.id AND l.key = " + c.arg(clean(r.Key()))
		switch r.Operator() {
		case selection.Exists:
			c.texts = append(c.texts, exists+")")
		case selection.DoesNotExist:
			c.texts = append(c.texts, "NOT "+exists+")")
		case selection.NotEquals, selection.NotIn:
			c.texts = append(c.texts, "NOT "+exists+" AND l.value IN ("+c.list(r)+"))")
		case selection.Equals, selection.DoubleEquals, selection.In:
			c.texts = append(c.texts, exists+" AND l.value IN ("+c.list(r)+"))")
		default: // comparisons of numbers, which package server refuses
			c.texts = append(c.texts, "1 = 0")
		}
	}
}

func (c *conditions) list(r labels.Requirement) string {
	var places []string
	for _, value := range r.Values().List() {
		places = append(places, c.arg(clean(value)))
	}
	return strings.Join(places, ", ")
}

func scanFramework(r *sql.Rows) (f historyapi.Framework, id int64, err error) {
	var text, diagnostics, remedy, links string
	var created int64
	var completed, absent *int64
	var o outcome
	err = r.Scan(append([]any{&id, &f.Cluster, &f.Namespace, &f.Name, &f.UID, &text, &f.State, &f.Queue, &f.TemplateDigest,
		&created, &completed, &f.Tasks, &f.Retries, &f.AccountableRetries, &diagnostics, &remedy, &links, &absent}, o.columns()...)...)
	if err != nil {
		return f, id, err
	}
	f.Created, f.Completed, f.DeletedBefore = timeOf(created), timeOrNil(completed), timeOrNil(absent)
	if o.code != nil {
		f.Completion = new(o.completion(diagnostics, remedy))
	}
	if text != "" {
		err = json.Unmarshal([]byte(text), &f.Labels)
	}
	if err == nil && links != "" {
		err = json.Unmarshal([]byte(links), &f.Links)
	}
	return f, id, err
}
