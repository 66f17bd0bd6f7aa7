package controller

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// reset starts over with another Framework of the same name.
func (rd *reader) reset(r *record, uid types.UID) {
	rd.drop(r)
	r.reset(uid, rd.compressEarly)
}

// forget drops everything about a Framework that no longer exists, once the history no longer needs it. The garbage collector
// deletes its dependents.
func (rd *reader) forget(r *record) {
	rd.reporter.history.logUnwatchedPods(r) // no Pod outlives its Framework for long
	rd.drop(r)
	if rd.awaitsPodDeletions(r) {
		return
	}
	r.forget()
	rd.queue.records.forget(r.key)
}

// podsLag is how far the watch of Pods may lag behind the watch of Frameworks without the history missing a Pod.
const podsLag = 5 * time.Second

// awaitsPodDeletions reports whether deletions of Pods of a deleted Framework may still be seen. The history logs each Pod
// with its Framework.
func (rd *reader) awaitsPodDeletions(r *record) bool {
	if !rd.reporter.history.log.WantsPods() || r.stored.version == "" {
		return false
	}
	if len(rd.watches.podNames(r.key)) > 0 {
		r.reported.podsGoneSince = time.Time{}
		return true // the deletion of the last one begins a round
	}
	if r.reported.podsGoneSince.IsZero() {
		r.reported.podsGoneSince = rd.now()
	}
	left := r.reported.podsGoneSince.Add(podsLag).Sub(rd.now())
	if left > 0 {
		rd.queue.AddAfter(r.key, left)
	}
	return left > 0
}

// drop removes a deleted Framework from the counts, once.
func (rd *reader) drop(r *record) {
	if r.reported.gone {
		return
	}
	r.reported.gone = true
	rd.reporter.history.logDeletion(r)
	rd.archiver.sendGone(r)
	rd.reporter.counts.Forget(&r.reported.counted)
	rd.memory.Set(r.key, 0, 0)
}
