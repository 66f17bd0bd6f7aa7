package controller

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// statusUpdate is what a status write sends beside the status: no spec, which a status write cannot change anyway.
type statusUpdate struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   statusMetadata `json:"metadata"`
}

// with is the update together with a status in JSON. The status may be large, so it is put in as it is: marshalling
// it once more would read through all of it.
func (u statusUpdate) with(status []byte) []byte {
	head := bytes.TrimSuffix(apiserver.JSON(u), []byte("}"))
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
	meta, err := apiserver.SendForMetadata(ctx, w.clients.Frameworks.Put().
		Namespace(r.key.Namespace).Resource(v1.FrameworkPlural).Name(r.key.Name).SubResource("status").
		// Looking for unknown fields would have the API server decode the body a second time.
		Param("fieldValidation", metav1.FieldValidationIgnore).Body(body))
	w.written(len(body), start, err)
	if err != nil {
		return w.writeFailed(ctx, r, out, err)
	}
	took := time.Since(start)
	w.limiter.ObserveWrite(took)
	r.schedule.cooldownUntil = w.now().Add(cooldownAfter(took, ending(next)))
	r.status.saved, r.status.cutting, r.status.uncertain = next, r.status.encoder.Cutting(), nil
	r.stored.version, r.status.rewrite = meta.ResourceVersion, false
	r.desired.set(r.status.saved, createsNothing(&r.framework))
	return nil
}

// written takes in what came of a status write.
func (w *writer) written(bytes int, began time.Time, err error) {
	w.reporter.observer.StatusWritten(bytes, time.Since(began), writeOutcome(err))
	if err == nil {
		w.server.NoteSubresource(began)
	}
}
