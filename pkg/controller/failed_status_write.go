package controller

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// writeFailed drops the round: nothing that the state calls for is done. The object is read before the next one, which
// shows whether the write has taken effect all the same (reconcileStatus).
func (w *writer) writeFailed(ctx context.Context, r *record, out lifecycle.Output, err error) error {
	r.stored.unread = true
	r.status.noteUncertainWrite(uncertainWrite{out, r.status.encoder.Cutting(), w.now(), declined(err)})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) && !w.restoreSubresource(ctx, r) {
		return errStale
	}
	if apierrors.IsInvalid(err) || tooLarge(err) {
		w.reporter.warnOnce(r, "StatusRefused", err.Error(), "storing the status: "+err.Error())
	}
	return fmt.Errorf("storing the status of framework %s: %w", r.key, err)
}

// reconcileStatus compares the status that was read with what this process has written: with the writes whose outcome is
// not known, and with the last that is known to be stored. Anything else was written by others, and is written over.
func (rd *reader) reconcileStatus(r *record, text json.RawMessage) {
	stored := normalised(text) // once: while writes fail, there are more and more to compare it with
	for _, write := range r.status.uncertain {
		if stores(stored, write.out.State, write.cutting) {
			before := r.status.saved
			r.status.saved, r.status.cutting, r.status.uncertain = write.out.State, write.cutting, nil
			rd.reporter.report(r, before, write.out)
			return
		}
	}
	if !r.status.rewrite && !stores(stored, r.status.saved, r.status.cutting) {
		r.status.rewrite = true
		rd.reporter.warn(r, "StatusOverwritten", "the status was changed by others; it is being restored")
	}
}

// restoreSubresource sees to a status write that finds nothing to write to, although the object exists: the
// original controller has re-installed its own CRD, which has no status subresource (decisions, W1). It returns
// false if the Framework itself is gone, also if another one has its name by now.
func (w *writer) restoreSubresource(ctx context.Context, r *record) bool {
	now, err := apiserver.SendForMetadata(ctx, getStored(w.clients, r.key))
	if err != nil {
		return !apierrors.IsNotFound(err)
	}
	if now.UID != r.uid {
		return false
	}
	w.server.NoteNoSubresource(ctx)
	return true
}
