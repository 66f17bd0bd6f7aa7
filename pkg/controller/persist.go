package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// writer stores the status of Frameworks.
type writer struct {
	clients  *apiserver.Clients
	reporter *reporter
	server   *apiserver.Server
	limiter  *flowcontrol.Limiter
	storage  *flowcontrol.StorageBudget
	now      func() time.Time
}

// persist stores the next state, unless it is stored already. After an error no action of the state may be performed, and the
// stored object is read before the next round.
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
	meta, err := apiserver.SendForMetadata(ctx, w.clients.Frameworks.Put().
		Namespace(r.key.Namespace).Resource(v1.FrameworkPlural).Name(r.key.Name).SubResource("status").
		// Looking for unknown fields would make the API server decode the body a second time.
		Param("fieldValidation", metav1.FieldValidationIgnore).Body(body))
	w.written(len(body), start, err)
	if err != nil {
		return w.writeFailed(ctx, r, out, err)
	}
	took := time.Since(start)
	w.limiter.ObserveWrite(took)
	now := w.now()
	r.schedule.storageUntil = w.storage.Written(r.key.Namespace, len(body), now)
	r.schedule.cooldownUntil = later(now.Add(cooldownAfter(took, ending(next))), r.schedule.storageUntil)
	r.status.saved, r.status.cutting, r.status.uncertain = next, r.status.encoder.Cutting(), nil
	r.stored.version, r.status.rewrite = meta.ResourceVersion, false
	r.desired.set(r.status.saved, createsNothing(&r.framework))
	return nil
}

// encodeStatus returns the JSON to store for a state, made small enough for the storage if need be. It warns the Framework's
// users if that exceeds their settings.
func encodeStatus(users *reporter, r *record, s *lifecycle.State) ([]byte, error) {
	text, report, err := r.status.encoder.Encode(s.Framework(), rolesOf(s), r.status.bytesLeft)
	if report.Compressed {
		users.warnOnce(r, reason.StatusCompressed, "", "the status is too large to be stored as it is; its taskRoleStatuses are compressed")
	}
	if report.Cut {
		users.warnOnce(r, reason.StatusCut, "", "the status is too large to be stored even if compressed; messages of completed Tasks are cut")
	}
	return text, err
}

func rolesOf(s *lifecycle.State) []statusjson.Role {
	var roles []statusjson.Role
	for role, tasks := range s.EachRole {
		roles = append(roles, statusjson.Role{
			Name:                          role.Name,
			InstanceUID:                   role.InstanceUID,
			PodGracefulDeletionTimeoutSec: role.PodGracefulDeletionTimeoutSec,
			RetriedCount:                  role.RetriedCount,
			Items:                         role.Items,
			Tasks:                         tasks,
		})
	}
	return roles
}

// statusUpdate is the rest of a status write: no spec, which a status write cannot change anyway.
type statusUpdate struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   statusMetadata `json:"metadata"`
}

// with returns the update with a status in JSON. The status may be large, so it is inserted as it is: marshalling it again
// would read through all of it.
func (u statusUpdate) with(status []byte) []byte {
	head := bytes.TrimSuffix(apiserver.JSON(u), []byte("}"))
	return slices.Concat(head, []byte(`,"status":`), status, []byte("}"))
}

// statusMetadata makes the write conditional: it succeeds only on the object and the version that the decision was based on.
type statusMetadata struct {
	Namespace       string    `json:"namespace"`
	Name            string    `json:"name"`
	UID             types.UID `json:"uid"`
	ResourceVersion string    `json:"resourceVersion"`
}

// written records the result of a status write.
func (w *writer) written(bytes int, began time.Time, err error) {
	w.reporter.observer.StatusWritten(bytes, time.Since(began), writeOutcome(err))
	if err == nil {
		w.server.NoteSubresource(began)
	}
}

// writeFailed drops the round: none of its actions is performed. The object is read before the next round, which shows whether
// the write has taken effect all the same (reconcileStatus).
func (w *writer) writeFailed(ctx context.Context, r *record, out lifecycle.Output, err error) error {
	r.stored.unread = true
	r.status.noteUncertainWrite(uncertainWrite{out, r.status.encoder.Cutting(), w.now(), declined(err)})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) && !w.restoreSubresource(ctx, r) {
		return errStale
	}
	if apierrors.IsInvalid(err) || tooLarge(err) {
		w.reporter.warnOnce(r, reason.StatusRefused, err.Error(), "storing the status: "+err.Error())
	}
	return fmt.Errorf("storing the status of framework %s: %w", r.key, err)
}

// reconcileStatus compares the status that was read with the writes of this process: the uncertain ones, and the last one known
// to be stored. Anything else was written by others, and is overwritten.
func (rd *reader) reconcileStatus(r *record, text json.RawMessage) {
	stored := normalised(text) // once: while writes fail, there are more and more to compare with
	for _, write := range r.status.uncertain {
		if stores(stored, write.out.State, write.cutting) {
			before := r.status.saved
			r.status.saved, r.status.cutting, r.status.uncertain = write.out.State, write.cutting, nil
			rd.reporter.report(r, before, write.out)
			rd.archiver.sendUnwaited(r, before)
			return
		}
	}
	if !r.status.rewrite && !stores(stored, r.status.saved, r.status.cutting) {
		r.status.rewrite = true
		rd.reporter.warn(r, warning(reason.StatusOverwritten, reason.Facts{}, "the status was changed by others; it is being restored"))
	}
}

// restoreSubresource handles a status write that finds nothing although the object exists: the original controller has
// re-installed its own CRD, which has no status subresource (decisions, W1). It returns false if the Framework itself is gone,
// even if another one now has its name.
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

// errStale: somebody else has written or deleted the object. The next round starts from its new state.
var errStale = errors.New("the stored object has changed")

// declined reports whether the API server has answered that it rejects the write.
func declined(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code >= 400 && status.Status().Code < 500 && !apierrors.IsTimeout(err)
}

// tooLarge reports whether the spec leaves no room for a status. The API server passes on the error of its storage.
func tooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || strings.Contains(err.Error(), "request is too large")
}
