package store

import (
	"database/sql"
	"encoding/json"
	"maps"
	"math"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/alike"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

const verdictColumns = "key, fw, fw_attempt, namespace, role, idx, attempt, task_uid, time, outcome, diagnostics, remedy, duration_us, question, own, answer"

// addVerdict splits the question of a verdict, before the contents of the batch are stored.
func (b *batch) addVerdict(v item[*pluginpb.VerdictRecord]) {
	q := v.record.GetQuestion()
	if q == nil {
		q = &pluginpb.FailedPod{}
	}
	common, own := alike.Split(q)
	row := verdictRow{item: v, question: b.addContent(alike.Encode(common)), own: ownText(own), answer: answerText(v.record.GetAnswer())}
	if row.question != nil {
		b.verdicts = append(b.verdicts, row)
	}
}

type verdictRow struct {
	item[*pluginpb.VerdictRecord]
	question    []byte
	own, answer string
}

// ownText cleans the texts, which would not survive a cut of the JSON.
func ownText(own alike.Own) string {
	own.UID, own.Name, own.FrameworkUID = name(own.UID), name(own.Name), name(own.FrameworkUID)
	for _, all := range []map[string]string{own.Labels, own.Annotations} {
		for key, value := range maps.Clone(all) {
			all[key] = name(value)
		}
	}
	text, err := json.Marshal(own)
	if err != nil {
		return "{}"
	}
	return string(text)
}

// answerText is empty for no answer, and for one that is longer than the contract allows.
func answerText(v *pluginpb.Verdict) string {
	if v == nil {
		return ""
	}
	text, err := protojson.Marshal(v)
	if err != nil || clean(string(text)) != string(text) {
		return ""
	}
	return string(text)
}

func (b *batch) insertVerdicts(w *writing) error {
	var rows [][]any
	for _, v := range b.verdicts {
		r := v.record
		q := r.GetQuestion()
		rows = append(rows, []any{v.key[:], v.fw.id, v.attempt, v.fw.namespace, name(q.GetTaskRole()), q.GetTaskIndex(), q.GetTaskAttemptId(),
			name(r.GetTaskUid()), v.time, b.known.outcome(r.GetDecision()), clean(r.GetDecision().GetDiagnostics()), clean(r.GetDecision().GetRemedy()), micros(r.GetDurationSeconds()),
			v.question, v.own, v.answer})
	}
	inserted := 0
	err := w.insert(into{"verdict", verdictColumns, newRow}, rows, func(*sql.Rows) error { inserted++; return nil })
	b.count(len(rows), inserted)
	return err
}

// micros converts seconds, at most a day. Values that are not positive numbers give 0.
func micros(seconds float64) int64 {
	if !(seconds > 0) {
		return 0
	}
	return int64(math.Min(seconds, 24*3600) * 1e6)
}
