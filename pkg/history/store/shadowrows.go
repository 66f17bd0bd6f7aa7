package store

import "database/sql"

const shadowColumns = "key, fw, fw_attempt, namespace, role, idx, attempt, task_uid, time, plugin, rule, comparison, decision, verdict, diagnostics, remedy, answer"

func (b *batch) insertShadows(w *writing) error {
	var rows [][]any
	for _, s := range b.shadows {
		r := s.record
		rows = append(rows, []any{s.key[:], s.fw.id, s.attempt, s.fw.namespace, name(r.GetTaskRole()), r.GetTaskIndex(), r.GetTaskAttemptId(),
			name(r.GetTaskUid()), s.time, name(r.GetPlugin()), r.GetRule(), name(r.GetOutcome()), b.known.outcome(r.GetDecision()), b.known.outcome(r.GetVerdict()),
			clean(r.GetVerdict().GetDiagnostics()), clean(r.GetVerdict().GetRemedy()), answerText(r.GetAnswer())})
	}
	inserted := 0
	err := w.insert(into{"shadow_verdict", shadowColumns, newRow}, rows, func(*sql.Rows) error { inserted++; return nil })
	b.count(len(rows), inserted)
	return err
}
