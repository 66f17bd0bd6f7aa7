package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// digest identifies a record, or a text that is stored once.
type digest [16]byte

func digestOf(parts ...string) (d digest) {
	h := sha256.New()
	var size [8]byte
	for _, p := range parts {
		h.Write(binary.LittleEndian.AppendUint64(size[:0], uint64(len(p))))
		h.Write([]byte(p))
	}
	copy(d[:], h.Sum(nil))
	return d
}

func (d digest) compare(e digest) int { return bytes.Compare(d[:], e[:]) }

// item is a record to be stored.
type item[T any] struct {
	key digest
	fw  *framework
	// attempt of the Framework, and time of the record.
	attempt int32
	time    int64
	record  T
}

// batch stores records in one transaction. The order of its steps is the same everywhere, and rows are locked in the order of
// their keys, so that replicas with one database never wait for each other in a circle.
type batch struct {
	dialect dialect
	known   *dictionary
	// seen are the digests in this batch.
	seen map[digest]bool

	frameworks map[frameworkKey]*framework
	attempts   []item[*pluginpb.FrameworkAttemptRecord]
	tasks      []item[*pluginpb.TaskAttemptRecord]
	happenings []item[*pluginpb.Happening]
	verdicts   []verdictRow
	shadows    []item[*pluginpb.ShadowVerdictRecord]
	contents   map[digest][]byte
	presences  []presence
	// absent are the Frameworks that the presences have closed.
	absent []Watched

	usage         map[usageKey]*usageSum
	nodeUsage     map[nodeKey]*nodeSum
	outcomeCounts map[countKey]int64

	stored, duplicates int64
}

func newBatch(d dialect, known *dictionary) *batch {
	return &batch{dialect: d, known: known, seen: map[digest]bool{}, frameworks: map[frameworkKey]*framework{},
		usage: map[usageKey]*usageSum{}, nodeUsage: map[nodeKey]*nodeSum{}, outcomeCounts: map[countKey]int64{},
		contents: map[digest][]byte{}}
}

// add takes the records of one request. Records of unknown kinds are dropped, as the contract requires.
func (b *batch) add(cluster string, records []*pluginpb.Record) {
	for _, r := range records {
		key := digestOf(cluster, r.GetKey())
		if b.seen[key] {
			b.duplicates++
			continue
		}
		b.seen[key] = true
		if p := r.GetPresence(); p != nil { // it belongs to no Framework
			b.addPresence(cluster, atOr(r.GetTime(), 0), p)
			continue
		}
		fw, n, at := b.framework(cluster, r), r.GetFramework().GetAttemptId(), atOr(r.GetTime(), 0)
		switch c := r.GetContent().(type) {
		case *pluginpb.Record_FrameworkRecord:
			b.addFrameworkRecord(fw, r, c.FrameworkRecord)
		case *pluginpb.Record_FrameworkAttempt:
			b.attempts = append(b.attempts, item[*pluginpb.FrameworkAttemptRecord]{key, fw, n, at, c.FrameworkAttempt})
		case *pluginpb.Record_TaskAttempt:
			b.tasks = append(b.tasks, item[*pluginpb.TaskAttemptRecord]{key, fw, n, at, c.TaskAttempt})
		case *pluginpb.Record_Happening:
			b.happenings = append(b.happenings, item[*pluginpb.Happening]{key, fw, n, at, c.Happening})
		case *pluginpb.Record_Verdict:
			b.addVerdict(item[*pluginpb.VerdictRecord]{key, fw, n, at, c.Verdict})
		case *pluginpb.Record_ShadowVerdict:
			b.shadows = append(b.shadows, item[*pluginpb.ShadowVerdictRecord]{key, fw, n, at, c.ShadowVerdict})
		case *pluginpb.Record_Object:
			b.addObject(c.Object)
		}
	}
}

func (b *batch) store(ctx context.Context, tx *sql.Tx) error {
	if len(b.frameworks) == 0 && len(b.presences) == 0 {
		return nil
	}
	w := newWriting(ctx, tx, b.dialect)
	for _, step := range []func(*writing) error{
		b.identify, b.define, b.insertContents, b.insertUses, b.updateFrameworks, b.insertTasks, b.insertAttempts, b.insertHappenings, b.insertVerdicts,
		b.insertShadows, b.sumUp, b.closeAbsent,
	} {
		if err := step(w); err != nil {
			return err
		}
	}
	return nil
}

// define gives numbers to the outcomes, requests and images of the batch.
func (b *batch) define(w *writing) error {
	for _, fw := range b.frameworks {
		b.known.needOutcome(fw.record.GetCompletion())
	}
	for _, a := range b.attempts {
		b.known.needOutcome(a.record.GetCompletion())
	}
	for _, t := range b.tasks {
		b.known.needOutcome(t.record.GetCompletion())
		b.known.needRequest(t.record.GetRequests())
		b.known.needImages(t.record.GetContainers())
	}
	for _, v := range b.verdicts {
		b.known.needOutcome(v.record.GetDecision())
	}
	for _, s := range b.shadows {
		b.known.needOutcome(s.record.GetDecision())
		b.known.needOutcome(s.record.GetVerdict())
	}
	return b.known.resolve(w)
}

// committed makes the rows that the transaction learned known to later ones.
func (b *batch) committed() { b.known.keep() }

// count counts the rows of one statement by the digests that it returned.
func (b *batch) count(rows, inserted int) {
	b.stored += int64(inserted)
	b.duplicates += int64(rows - inserted)
}
