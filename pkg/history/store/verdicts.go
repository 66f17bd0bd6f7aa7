package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/alike"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// VerdictQuery selects verdicts on failed Pods. Empty fields select all.
type VerdictQuery struct {
	// The Framework; all if Name is empty. UID selects one of several with the same name; without it, the newest is taken.
	Namespace, Name, UID string
	// Plugin and Rule that decided.
	Plugin, Rule string
	// Code that was decided.
	Code *int32
	// Range of the ends of the attempts.
	Range Range
	Limit int
	After string
}

// Verdicts lists verdicts, the newest first.
func (s *Store) Verdicts(ctx context.Context, q VerdictQuery) (page historyapi.Page[historyapi.Verdict], err error) {
	page.Items = []historyapi.Verdict{}
	c := &conditions{}
	c.add("v.time >= %s AND v.time < %s", q.Range.since(), q.Range.until())
	if q.Name != "" {
		_, id, err := s.find(ctx, q.Namespace, q.Name, q.UID)
		if err != nil {
			return page, err
		}
		c.add("v.fw = %s", id)
	}
	c.addText("v.namespace", q.Namespace)
	c.addText("o.plugin", q.Plugin)
	c.addText("o.rule", q.Rule)
	if q.Code != nil {
		c.add("o.code = %s", *q.Code)
	}
	if q.After != "" {
		var time, id int64
		if err := readToken(q.After, &time, &id); err != nil {
			return page, err
		}
		c.add("(v.time, v.id) < (%s, %s)", time, id)
	}
	query := `SELECT v.id, v.fw_attempt, v.role, v.idx, v.attempt, v.task_uid, v.time, v.diagnostics, v.remedy, f.namespace, f.name, f.uid,
		v.duration_us, v.question, v.own, v.answer, c.packed, ` + outcomeColumns + ` FROM verdict v JOIN framework f ON f.id = v.fw
		LEFT JOIN outcome o ON o.id = v.outcome LEFT JOIN content c ON c.digest = v.question` +
		c.where() + " ORDER BY v.time DESC, v.id DESC LIMIT " + c.arg(q.Limit+1)
	full := fullness{limit: q.Limit}
	var last int64
	err = s.each(ctx, query, c.args, func(r *sql.Rows) error {
		v, id, err := scanVerdict(r)
		if err == nil {
			err = full.add(len(v.Judgment.Question) + len(v.Judgment.Answer) + len(v.Decision.Diagnostics) + len(v.Decision.Remedy))
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

func scanVerdict(r *sql.Rows) (v historyapi.Verdict, id int64, err error) {
	var time int64
	var diagnostics, remedy string
	var j judgmentRow
	var o outcome
	columns := []any{&id, &v.FrameworkAttempt, &v.Role, &v.Index, &v.Attempt, &v.TaskUID, &time, &diagnostics, &remedy, &v.Namespace, &v.FrameworkName, &v.FrameworkUID}
	if err := r.Scan(slices.Concat(columns, j.columns(), o.columns())...); err != nil {
		return v, id, err
	}
	v.Time, v.Decision = timeOf(time), o.completion(diagnostics, remedy)
	judgment, err := j.judgment()
	if judgment != nil {
		v.Judgment = *judgment
	}
	return v, id, err
}

// judgmentRow is the part of a verdict beside its decision. All fields are nil if there is none.
type judgmentRow struct {
	took             *int64
	question, packed []byte
	own, answer      *string
}

func (j *judgmentRow) columns() []any {
	return []any{&j.took, &j.question, &j.own, &j.answer, &j.packed}
}

func (j *judgmentRow) judgment() (*historyapi.Judgment, error) {
	if j.took == nil {
		return nil, nil
	}
	out := &historyapi.Judgment{DurationSeconds: float64(*j.took) / 1e6, QuestionDigest: hex.EncodeToString(j.question)}
	if *j.answer != "" {
		out.Answer = json.RawMessage(*j.answer)
	}
	var err error
	out.Question, err = questionText(j.packed, *j.own)
	return out, err
}

// questionText puts a question together, as JSON. It is nil if the part that it has in common with others is gone.
func questionText(packed []byte, own string) (json.RawMessage, error) {
	if packed == nil {
		return nil, nil
	}
	encoded, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	var common pluginpb.FailedPod
	var rest alike.Own
	if err := proto.Unmarshal(encoded, &common); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(own), &rest); err != nil {
		return nil, err
	}
	return protojson.Marshal(alike.Join(&common, rest))
}
