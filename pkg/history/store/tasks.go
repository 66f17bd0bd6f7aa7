package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// TaskQuery selects attempts of Tasks that have ended. Empty fields select all.
type TaskQuery struct {
	// The Framework; all if Name is empty. UID selects one of several with the same name; without it, the newest is taken.
	Namespace, Name, UID string
	// Attempt of the Framework. LastAttempt leaves out the attempts after it; it has no effect if Name is empty.
	Attempt     *int32
	LastAttempt *int32
	Role        string
	Index       *int32
	Node        string
	Code        *int32
	Type        string
	// Plugin and Rule that decided on the outcome.
	Plugin, Rule string
	// Image of a container that is no init container.
	Image  string
	Failed bool
	// Range of their ends. It has no effect if Name is set.
	Range Range
	Limit int
	After string
	// Details adds containers, requests and the judgment.
	Details bool
}

// listedColumns are the columns of task_attempt that a list shows, after its id.
const listedColumns = `t.fw_attempt, t.role, t.idx, t.attempt, t.task_uid, t.pod, t.pod_uid, t.node, t.began, t.pod_created,
	t.scheduled, t.initialized, t.ran, t.containers_ended, t.ended, t.deletion_cause, t.follows, t.retry_row, t.delay, t.diagnostics, t.remedy`

// taskList is a page of attempts of Tasks, with the tables that they refer to. The limit is within: without statistics, as after
// the first records, PostgreSQL expects few rows, and would join and sort all of a namespace for one page.
const taskList = `SELECT t.id, f.namespace, f.name, f.uid, ` + listedColumns + `, ` + outcomeColumns + `%[1]s
	FROM (SELECT t.id, t.fw, t.outcome, ` + listedColumns + `%[2]s FROM task_attempt t%[3]s ORDER BY %[4]s LIMIT %[5]s) t
	JOIN framework f ON f.id = t.fw LEFT JOIN outcome o ON o.id = t.outcome%[6]s ORDER BY %[4]s`

// Tasks lists attempts of Tasks: of one Framework by its attempt and their ends, of several by their ends, the newest first.
func (s *Store) Tasks(ctx context.Context, q TaskQuery) (page historyapi.Page[historyapi.TaskAttempt], err error) {
	page.Items = []historyapi.TaskAttempt{}
	c, order, err := s.taskConditions(ctx, q)
	if err != nil {
		return page, err
	}
	query := selectTasks(q.Details, c.where(), order, c.arg(q.Limit+1))
	full := fullness{limit: q.Limit}
	var last int64
	err = s.each(ctx, query, c.args, func(r *sql.Rows) error {
		t, id, err := scanTask(r, q.Details)
		if err == nil {
			err = full.add(taskBytes(&t))
		}
		if err == nil {
			page.Items, last = append(page.Items, t), id
		}
		return err
	})
	if errors.Is(err, errFull) {
		end := page.Items[len(page.Items)-1]
		page.Next, err = token(end.FrameworkAttempt, end.Ended.UnixMicro(), last), nil
	}
	if err == nil && q.Details && q.Name != "" && q.Role != "" && q.Index != nil {
		err = s.addShadows(ctx, q, page.Items)
	}
	return page, err
}

// addShadows adds the verdicts in shadow to attempts of one Task.
func (s *Store) addShadows(ctx context.Context, q TaskQuery, attempts []historyapi.TaskAttempt) error {
	_, id, err := s.find(ctx, q.Namespace, q.Name, q.UID)
	if err != nil {
		return err
	}
	all, err := s.shadowsOfTask(ctx, id, q.Role, *q.Index)
	for _, v := range all {
		i := slices.IndexFunc(attempts, func(t historyapi.TaskAttempt) bool {
			return t.FrameworkAttempt == v.FrameworkAttempt && t.Attempt == v.Attempt && t.TaskUID == v.TaskUID
		})
		if i >= 0 {
			attempts[i].Shadow = append(attempts[i].Shadow, v)
		}
	}
	return err
}

// taskBytes is the size of the texts of an attempt that may be long.
func taskBytes(t *historyapi.TaskAttempt) (n int) {
	for i := range t.Containers {
		n += len(t.Containers[i].Message)
	}
	if t.Judgment != nil {
		n += len(t.Judgment.Question) + len(t.Judgment.Answer)
	}
	return n + len(t.Completion.Diagnostics) + len(t.Completion.Remedy)
}

// selectTasks returns a query for attempts of Tasks, from conditions, an order and a limit in SQL.
func selectTasks(details bool, where, order, limit string) string {
	var shown, read, joined string
	if details {
		shown = ", q.text, i.text, t.containers, v.duration_us, v.question, v.own, v.answer, c.packed"
		read = ", t.request, t.images, t.containers"
		joined = ` LEFT JOIN request q ON q.id = t.request LEFT JOIN images i ON i.id = t.images
			LEFT JOIN verdict v ON v.fw = t.fw AND v.fw_attempt = t.fw_attempt AND v.role = t.role AND v.idx = t.idx AND v.attempt = t.attempt
				AND v.task_uid = t.task_uid
			LEFT JOIN content c ON c.digest = v.question`
	}
	return fmt.Sprintf(taskList, shown, read, where, order, limit, joined)
}

func (s *Store) taskConditions(ctx context.Context, q TaskQuery) (c *conditions, order string, err error) {
	c = &conditions{}
	var attempt int32
	var ended, id int64
	until := q.Range.until()
	if q.After != "" {
		if err := readToken(q.After, &attempt, &ended, &id); err != nil {
			return nil, "", err
		}
		// SQLite searches by this bound instead of the page's: it would read all earlier pages.
		until = min(until, ended+1)
	}
	ofOne := q.Name != ""
	if ofOne {
		_, id, err := s.find(ctx, q.Namespace, q.Name, q.UID)
		if err != nil {
			return nil, "", err
		}
		c.add("t.fw = %s", id)
		if q.LastAttempt != nil && (q.After == "" || *q.LastAttempt < attempt) { // else the bound of the page is closer, and SQLite searches by one only
			c.add("t.fw_attempt <= %s", *q.LastAttempt)
		}
		order = "t.fw_attempt DESC, t.ended DESC, t.id DESC"
	} else {
		c.add("t.ended >= %s AND t.ended < %s", q.Range.since(), until)
		c.addText("t.namespace", q.Namespace)
		order = "t.ended DESC, t.id DESC"
	}
	q.filter(c)
	if q.Image != "" {
		if err := s.addImage(ctx, c, q.Image); err != nil {
			return nil, "", err
		}
	}
	switch {
	case q.After == "":
	case ofOne:
		c.add("(t.fw_attempt, t.ended, t.id) < (%s, %s, %s)", attempt, ended, id)
	default:
		c.add("(t.ended, t.id) < (%s, %s)", ended, id)
	}
	return c, order, nil
}

func (q TaskQuery) filter(c *conditions) {
	if q.Attempt != nil {
		c.add("t.fw_attempt = %s", *q.Attempt)
	}
	if q.Index != nil {
		c.add("t.idx = %s", *q.Index)
	}
	if q.Code != nil {
		c.add("t.code = %s", *q.Code)
	}
	if q.Failed {
		c.add("t.failed")
	}
	c.addText("t.role", q.Role)
	c.addText("t.node", q.Node)
	c.addType("t.outcome", q.Type)
	if q.Plugin != "" {
		c.add("t.outcome IN (SELECT id FROM outcome WHERE plugin = %s)", clean(q.Plugin))
	}
	if q.Rule != "" {
		c.add("t.outcome IN (SELECT id FROM outcome WHERE rule = %s)", clean(q.Rule))
	}
}

// addImage adds the condition that a container had this image. Few combinations of images are stored, each once.
func (s *Store) addImage(ctx context.Context, c *conditions, image string) error {
	images, err := s.imagesByID(ctx)
	if err != nil {
		return err
	}
	var ids []int64
	for text, names := range images {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil && slices.Contains(names, image) {
			ids = append(ids, id)
		}
	}
	c.texts = append(c.texts, "t.images IN ("+c.ids(ids)+")")
	return nil
}

func scanTask(r *sql.Rows, details bool) (t historyapi.TaskAttempt, id int64, err error) {
	var diagnostics, remedy string
	var began, ended int64
	var created, scheduled, initialized, ran, containersEnded *int64
	var o outcome
	var requests, images *string
	var endings string
	var j judgmentRow
	columns := append([]any{&id, &t.Namespace, &t.FrameworkName, &t.FrameworkUID, &t.FrameworkAttempt, &t.Role, &t.Index, &t.Attempt,
		&t.TaskUID, &t.Pod, &t.PodUID, &t.Node, &began, &created, &scheduled, &initialized, &ran, &containersEnded, &ended,
		&t.DeletionCause, &t.Retry.Follows, &t.Retry.Row, &t.Retry.DelaySeconds, &diagnostics, &remedy}, o.columns()...)
	if details {
		columns = append(append(columns, &requests, &images, &endings), j.columns()...)
	}
	if err := r.Scan(columns...); err != nil {
		return t, id, err
	}
	t.Completion = o.completion(diagnostics, remedy)
	t.Began, t.Ended = timeOf(began), timeOf(ended)
	t.PodCreated, t.Scheduled, t.Initialized = timeOrNil(created), timeOrNil(scheduled), timeOrNil(initialized)
	t.Ran, t.ContainersEnded = timeOrNil(ran), timeOrNil(containersEnded)
	if requests != nil {
		err = json.Unmarshal([]byte(*requests), &t.Requests)
	}
	if err == nil {
		t.Containers, err = containersOf(images, endings)
	}
	if err == nil {
		t.Judgment, err = j.judgment()
	}
	return t, id, err
}
