package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/links"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// deleted is the state of a Framework whose object is gone.
const deleted = "Deleted"

type frameworkKey struct{ cluster, uid string }

// framework is a Framework that records of a batch are about.
type framework struct {
	key             frameworkKey
	id              int64
	namespace, name string
	// Times of its oldest and its newest record in the batch.
	first, last int64
	// version is the earliest version in a record; 0 if no record has one.
	version int64
	// record has the highest revision; nil if the batch has none.
	record *pluginpb.FrameworkRecord
	labels map[string]string
	at     int64 // the time of record
}

// framework returns the Framework that a record is about.
func (b *batch) framework(cluster string, r *pluginpb.Record) *framework {
	f, at := r.GetFramework(), atOr(r.GetTime(), 0)
	key := frameworkKey{name(cluster), name(f.GetUid())}
	fw := b.frameworks[key]
	if fw == nil {
		fw = &framework{key: key, namespace: name(f.GetNamespace()), name: name(f.GetName()), first: at, last: at}
		b.frameworks[key] = fw
	}
	fw.first, fw.last = min(fw.first, at), max(fw.last, at)
	if v := versionOf(r.GetResourceVersion()); v > 0 && (fw.version == 0 || v < fw.version) {
		fw.version = v
	}
	return fw
}

func (b *batch) addFrameworkRecord(fw *framework, r *pluginpb.Record, record *pluginpb.FrameworkRecord) {
	if fw.record != nil && fw.record.GetRevision() >= record.GetRevision() {
		b.duplicates++
		return
	}
	if fw.record != nil {
		b.duplicates++ // the earlier record is replaced before it is stored
	}
	fw.record, fw.labels, fw.at = record, r.GetFramework().GetLabels(), atOr(r.GetTime(), 0)
}

// identify finds or creates the rows of the Frameworks. It also locks them until the transaction ends.
func (b *batch) identify(w *writing) error {
	var rows [][]any
	for _, fw := range b.frameworks {
		rows = append(rows, []any{fw.key.cluster, fw.key.uid, fw.namespace, fw.name, fw.last, int64(0), fw.first, fw.version})
	}
	slices.SortFunc(rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(a[0].(string), b[0].(string)), cmp.Compare(a[1].(string), b[1].(string)))
	})
	upsert := into{"framework", identifying + ", revision, created, version", `
		ON CONFLICT (cluster, uid) DO UPDATE SET
			updated = CASE WHEN excluded.updated > framework.updated THEN excluded.updated ELSE framework.updated END,
			version = CASE WHEN excluded.version > 0 AND (framework.version = 0 OR excluded.version < framework.version)
				THEN excluded.version ELSE framework.version END
		RETURNING id, cluster, uid`}
	return w.insert(upsert, rows, func(r *sql.Rows) error {
		var id int64
		var key frameworkKey
		if err := r.Scan(&id, &key.cluster, &key.uid); err != nil {
			return err
		}
		b.frameworks[key].id = id
		return nil
	})
}

// updateFrameworks lets a record replace one of a lower revision.
func (b *batch) updateFrameworks(w *writing) error {
	var rows [][]any
	for _, fw := range b.frameworks {
		if fw.record != nil {
			rows = append(rows, fw.columns(b.known))
		}
	}
	// The row exists, so the conflict has the effect.
	replace := into{"framework", identifying + ", " + recorded, "ON CONFLICT (cluster, uid) DO UPDATE SET " + setExcluded(recorded) +
		" WHERE framework.revision < excluded.revision RETURNING cluster, uid"}
	var changed []*framework
	err := w.insert(replace, rows, func(r *sql.Rows) error {
		var key frameworkKey
		err := r.Scan(&key.cluster, &key.uid)
		changed = append(changed, b.frameworks[key])
		return err
	})
	if err != nil {
		return err
	}
	b.count(len(rows), len(changed))
	return replaceLabels(w, changed)
}

// The columns that every record fills for its Framework, and the columns that only a record of the Framework itself fills.
const (
	identifying = "cluster, uid, namespace, name, updated"
	recorded    = "revision, state, queue, template_digest, labels, created, completed, ended, outcome, diagnostics, remedy, tasks, retries, " +
		"accountable_retries, object, links, absent"
)

// setExcluded sets columns to the values of a row that could not be inserted.
func setExcluded(columns string) string {
	var all []string
	for _, c := range strings.Split(columns, ", ") {
		all = append(all, c+" = excluded."+c)
	}
	return strings.Join(all, ", ")
}

func (fw *framework) columns(known *dictionary) []any {
	r := fw.record
	completed := at(r.GetCompleted())
	ended := completed
	if ended == nil && r.GetState() == deleted {
		ended = &fw.at
	}
	labels := "{}"
	if text, err := json.Marshal(fw.cleanLabels()); err == nil {
		labels = string(text)
	}
	var outcome *int64
	if r.GetCompletion() != nil {
		outcome = new(known.outcome(r.GetCompletion()))
	}
	// Revisions begin at 1, because a row without a record has 0.
	revision := max(r.GetRevision(), 1)
	return []any{fw.key.cluster, fw.key.uid, fw.namespace, fw.name, fw.last, revision, name(r.GetState()), name(r.GetQueue()), name(r.GetTemplateDigest()), labels,
		atOr(r.GetCreated(), fw.first), completed, ended, outcome, clean(r.GetCompletion().GetDiagnostics()), clean(r.GetCompletion().GetRemedy()),
		r.GetTasks(), r.GetRetries(), r.GetAccountableRetries(), referenceTo(r.GetObjectDigest()), linksOf(r), nil}
}

func (fw *framework) cleanLabels() map[string]string {
	labels := make(map[string]string, len(fw.labels))
	for key, value := range fw.labels {
		labels[name(key)] = name(value)
	}
	return labels
}

func replaceLabels(w *writing, of []*framework) error {
	var frameworks, labels [][]any
	for _, fw := range of {
		frameworks = append(frameworks, []any{fw.id})
		for key, value := range fw.cleanLabels() {
			labels = append(labels, []any{fw.id, key, value})
		}
	}
	if err := w.among("DELETE FROM label WHERE fw", frameworks, nil); err != nil {
		return err
	}
	return w.insert(into{"label", "fw, key, value", ""}, labels, nil)
}

// linksOf returns the links of a record as JSON; empty if it has none. A sink that is no part of this project may send others than the controller finds.
func linksOf(r *pluginpb.FrameworkRecord) string {
	var kept []historyapi.Link
	for _, l := range r.GetLinks() {
		if len(kept) < links.MostLinks && links.Check(links.Link{Name: l.GetName(), URL: l.GetUrl()}) == "" {
			kept = append(kept, historyapi.Link{Name: l.GetName(), URL: l.GetUrl()})
		}
	}
	if len(kept) == 0 {
		return ""
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return "" // they are texts
	}
	return string(text)
}
