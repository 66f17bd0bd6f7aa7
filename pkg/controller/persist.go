package controller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// writer stores the status of Frameworks.
type writer struct {
	clients  *Clients
	reporter *reporter
	server   *server
	turns    *turns
	now      func() time.Time
}

// statusUpdate is what a status write sends beside the status: no spec, which a status write cannot change anyway.
type statusUpdate struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   statusMetadata `json:"metadata"`
}

// with is the update together with a status in JSON. The status may be large, so it is put in as it is: marshalling
// it once more would read through all of it.
func (u statusUpdate) with(status []byte) []byte {
	head := bytes.TrimSuffix(jsonOf(u), []byte("}"))
	return slices.Concat(head, []byte(`,"status":`), status, []byte("}"))
}

// statusMetadata makes the write conditional: it succeeds only on the object, and on the version of it, that
// the status was decided from.
type statusMetadata struct {
	Namespace       string    `json:"namespace"`
	Name            string    `json:"name"`
	UID             types.UID `json:"uid"`
	ResourceVersion string    `json:"resourceVersion"`
}

// persist stores the next state, unless it is stored already. After an error nothing may be done that the state
// calls for, and the stored object is read before the next round.
func (w *writer) persist(ctx context.Context, r *record, out lifecycle.Output) error {
	next := out.State
	if next == r.status.saved && !r.status.rewrite {
		return nil
	}
	status, err := encodeStatus(w.reporter, r, next)
	if err != nil {
		return fmt.Errorf("encoding the status of framework %s: %w", r.key, err)
	}
	body := statusUpdate{
		APIVersion: v1.SchemeGroupVersion.String(),
		Kind:       v1.FrameworkKind,
		Metadata:   statusMetadata{r.key.Namespace, r.key.Name, r.uid, r.stored.version},
	}.with(status)
	start := time.Now()
	meta, err := sendForMetadata(ctx, w.clients.frameworks.Put().
		Namespace(r.key.Namespace).Resource(v1.FrameworkPlural).Name(r.key.Name).SubResource("status").
		// Looking for unknown fields would have the API server decode the body a second time.
		Param("fieldValidation", metav1.FieldValidationIgnore).Body(body))
	w.written(len(body), start, err)
	if err != nil {
		return w.writeFailed(ctx, r, out, err)
	}
	took := time.Since(start)
	w.turns.learnWrite(took)
	r.schedule.respiteUntil = w.now().Add(respiteAfter(took))
	r.status.saved, r.status.cutting, r.status.doubtful = next, r.status.encoder.Cutting(), nil
	r.stored.version, r.status.rewrite = meta.ResourceVersion, false
	r.stand.set(r.status.saved, r.framework.Deleting)
	return nil
}

func (w *writer) writeFailed(ctx context.Context, r *record, out lifecycle.Output, err error) error {
	r.stored.unread = true
	r.status.doubt(doubtfulWrite{out, r.status.encoder.Cutting(), w.now(), declined(err)})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) && !w.restoreSubresource(ctx, r) {
		return errStale
	}
	if apierrors.IsInvalid(err) || tooLarge(err) {
		w.reporter.warnOnce(r, "StatusRefused", err.Error(), "storing the status: "+err.Error())
	}
	return fmt.Errorf("storing the status of framework %s: %w", r.key, err)
}

// tooLarge reports whether the spec leaves no room for a status. The API server passes on what its storage says.
func tooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || strings.Contains(err.Error(), "request is too large")
}

// doubtfulWrite is a status write whose outcome is not known.
type doubtfulWrite struct {
	out     lifecycle.Output   // with the state, and what is to be reported when it is known to be stored
	cutting statusjson.Cutting // of its messages
	at      time.Time          // when its answer failed to come
	// declined: it may have taken effect although the API server has declined it, as client-go may have sent it twice.
	declined bool
}

// doubt notes a write that may have taken effect or may do so yet, and forgets those that have had time enough: one that was
// declined, by the next, as the object was read in between. The same state may be written again and again, to restore it,
// and counts as one write.
func (s *savedStatus) doubt(next doubtfulWrite) {
	s.doubtful = slices.DeleteFunc(s.doubtful, func(w doubtfulWrite) bool {
		return w.declined || next.at.Sub(w.at) > 2*requestTimeout || w.out.State == next.out.State && w.cutting == next.cutting
	})
	s.doubtful = append(s.doubtful, next)
}

// errStale: somebody else has written or deleted the object. The next round starts from what they left.
var errStale = errors.New("the stored object has changed")

// declined reports whether the API server has answered that it does not take the write.
func declined(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code >= 400 && status.Status().Code < 500 && !apierrors.IsTimeout(err)
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
