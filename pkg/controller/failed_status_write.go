package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// writeFailed drops the round: nothing that the state calls for is done. The object is read before the next one, which shows
// whether the write has taken effect all the same (reconcileStatus).
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

// uncertainWrite is a status write whose outcome is not known.
type uncertainWrite struct {
	out     lifecycle.Output   // with the state, and what is to be reported when it is known to be stored
	cutting statusjson.Cutting // of its messages
	at      time.Time          // when its answer failed to come
	// declined: it may have taken effect although the API server has declined it, as client-go may have sent it twice.
	declined bool
}

// noteUncertainWrite notes a write that may have taken effect or may do so yet, and forgets those that have had time enough: one that was
// declined, by the next, as the object was read in between. The same state may be written again and again, to restore it,
// and counts as one write.
func (s *savedStatus) noteUncertainWrite(next uncertainWrite) {
	s.uncertain = slices.DeleteFunc(s.uncertain, func(w uncertainWrite) bool {
		return w.declined || next.at.Sub(w.at) > 2*requestTimeout || w.out.State == next.out.State && w.cutting == next.cutting
	})
	s.uncertain = append(s.uncertain, next)
}

// reconcileStatus compares the status that was read with what this process has written: with the writes whose outcome is not
// known, and with the last that is known to be stored. Anything else was written by others, and is written over.
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
// false if the Framework itself is gone.
func (w *writer) restoreSubresource(ctx context.Context, r *record) bool {
	if _, err := sendForMetadata(ctx, getStored(w.clients, r.key)); err != nil {
		return !apierrors.IsNotFound(err)
	}
	w.server.noteNoSubresource(ctx)
	return true
}

// errStale: somebody else has written or deleted the object. The next round starts from what they left.
var errStale = errors.New("the stored object has changed")

// tooLarge reports whether the spec leaves no room for a status. The API server passes on what its storage says.
func tooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || strings.Contains(err.Error(), "request is too large")
}

// declined reports whether the API server has answered that it does not take the write.
func declined(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code >= 400 && status.Status().Code < 500 && !apierrors.IsTimeout(err)
}
