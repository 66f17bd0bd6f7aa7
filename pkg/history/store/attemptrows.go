package store

import (
	"database/sql"
	"encoding/json"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

const taskColumns = `
	key, fw, fw_attempt, namespace, role, idx, attempt, task_uid, pod, pod_uid, node, outcome, code, failed,
	request, images, began, pod_created, scheduled, initialized, ran, containers_ended, ended, run_ms, wait_ms, start_ms,
	deletion_cause, follows, retry_row, delay, diagnostics, remedy, containers, object`

const newRow = "ON CONFLICT (key) DO NOTHING RETURNING key"

// insertTasks inserts the new attempts of Tasks, and adds them to the sums.
func (b *batch) insertTasks(w *writing) error {
	follows, err := b.attemptsFollowed(w)
	if err != nil {
		return err
	}
	rows, sums := [][]any{}, map[digest]taskSum{}
	for _, t := range b.tasks {
		s := b.sum(t)
		sums[t.key] = s
		rows = append(rows, b.taskRow(t, s))
	}
	inserted := 0
	err = w.insert(into{"task_attempt", taskColumns, newRow}, rows, func(r *sql.Rows) error {
		key, err := scanKey(r)
		if err != nil {
			return err
		}
		inserted++
		s := sums[key]
		b.addUsage(s, follows[attemptKey{s.usage.fw, s.usage.attempt}])
		return nil
	})
	b.count(len(rows), inserted)
	return err
}

func scanKey(r *sql.Rows) (key digest, err error) {
	var bytes []byte
	err = r.Scan(&bytes)
	copy(key[:], bytes)
	return key, err
}

func (b *batch) taskRow(t item[*pluginpb.TaskAttemptRecord], s taskSum) []any {
	r := t.record
	return []any{t.key[:], t.fw.id, s.usage.attempt, t.fw.namespace, s.usage.role, r.GetTaskIndex(), r.GetTaskAttemptId(),
		name(r.GetTaskUid()), name(r.GetPodName()), name(r.GetPodUid()), s.node.node, s.usage.outcome,
		r.GetCompletion().GetCode(), s.failed, s.usage.request, b.known.imagesOf(r.GetContainers()), s.began, at(r.GetPodCreated()), at(r.GetScheduled()),
		at(r.GetInitialized()), at(r.GetRan()), at(r.GetContainersEnded()), s.ended, s.run, s.wait, s.start,
		name(r.GetDeletionCause()), s.follows, name(r.GetRetry().GetRow()), r.GetRetry().GetDelaySeconds(),
		clean(r.GetCompletion().GetDiagnostics()), clean(r.GetCompletion().GetRemedy()), endingsText(r.GetContainers()), referenceTo(r.GetObjectDigest())}
}

const attemptColumns = "key, fw, attempt, began, placed, ran, ended, outcome, diagnostics, remedy, trigger_role, trigger_index, tasks, " +
	"follows, retry_row, delay"

// insertAttempts inserts the new attempts of Frameworks. If another attempt follows, the run time of their Tasks was lost, including Tasks
// that were stored before.
func (b *batch) insertAttempts(w *writing) error {
	rows, byKey := [][]any{}, map[digest]item[*pluginpb.FrameworkAttemptRecord]{}
	for _, a := range b.attempts {
		byKey[a.key] = a
		rows = append(rows, b.attemptRow(a))
	}
	lost, inserted := map[attemptKey]bool{}, 0
	err := w.insert(into{"framework_attempt", attemptColumns, newRow}, rows, func(r *sql.Rows) error {
		key, err := scanKey(r)
		if err != nil {
			return err
		}
		inserted++
		if a := byKey[key]; a.record.GetRetry().GetFollows() {
			lost[attemptKey{a.fw.id, a.attempt}] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.count(len(rows), inserted)
	return b.addLost(w, lost)
}

func (b *batch) attemptRow(a item[*pluginpb.FrameworkAttemptRecord]) []any {
	r := a.record
	ended := atOr(r.GetEnded(), a.time)
	return []any{a.key[:], a.fw.id, a.attempt, atOr(r.GetBegan(), ended), at(r.GetPlaced()), at(r.GetRan()), ended,
		b.known.outcome(r.GetCompletion()), clean(r.GetCompletion().GetDiagnostics()), clean(r.GetCompletion().GetRemedy()),
		name(r.GetTriggerRole()), r.GetTriggerIndex(), r.GetTasks(), r.GetRetry().GetFollows(), name(r.GetRetry().GetRow()),
		r.GetRetry().GetDelaySeconds()}
}

func (b *batch) insertHappenings(w *writing) error {
	var rows [][]any
	for _, h := range b.happenings {
		facts := map[string]string{}
		for key, value := range h.record.GetFacts() {
			facts[name(key)] = clean(value)
		}
		text, err := json.Marshal(facts)
		if err != nil {
			return err
		}
		rows = append(rows, []any{h.key[:], h.fw.id, h.attempt, h.time, name(h.record.GetReason()), string(text)})
	}
	inserted := 0
	err := w.insert(into{"happening", "key, fw, fw_attempt, time, reason, facts", newRow}, rows,
		func(*sql.Rows) error { inserted++; return nil })
	b.count(len(rows), inserted)
	return err
}
