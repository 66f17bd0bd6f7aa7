package controller

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// markInvalid reports on the Framework itself that it is invalid, and leaves it alone until it is changed.
func (rd *reader) markInvalid(ctx context.Context, r *record, why reason.Event, cause error) error {
	r.stored.leftAlone, r.leftOut = cause, leftOut{}
	rd.reporter.counts.MarkInvalid(&r.reported.counted)
	condition, reported := r.stored.invalidCondition(metav1.Condition{
		Type:               v1.ConditionStatusInvalid,
		Status:             metav1.ConditionTrue,
		ObservedGeneration: r.stored.meta.Generation,
		LastTransitionTime: metav1.NewTime(rd.now()),
		Reason:             string(why),
		Message:            completion.Cut(cause.Error(), longestMessage),
	})
	var err error
	if !reported {
		// It replaces all other conditions, and the Framework waits for nothing.
		err = rd.writer.patchStatus(ctx, r, map[string]any{"conditions": []metav1.Condition{condition}, "waiting": nil})
	}
	if apierrors.IsConflict(err) {
		r.stored.unread = true // it may have been repaired
		return errStale
	}
	rd.reporter.warnOnce(r, why, cause.Error(), cause.Error())
	if err != nil && !declined(err) {
		r.stored.unread = true
		return fmt.Errorf("reporting that framework %s is invalid: %w", r.key, err)
	}
	if err != nil {
		// The event and the log report it, too: the CRD may reject a status of this object.
		rd.reporter.log.Warn("reporting an invalid framework", "framework", r.key.String(), "error", err)
		return nil
	}
	r.status.rewrite = r.status.saved != nil // all other conditions are gone
	return nil
}

// patchStatus stores some fields of the status, and leaves the others as they are. It is a merge patch: lists are replaced, objects
// are merged, and null removes a field.
func (w *writer) patchStatus(ctx context.Context, r *record, fields map[string]any) error {
	patch := apiserver.JSON(map[string]any{
		"metadata": statusMetadata{r.key.Namespace, r.key.Name, r.uid, r.stored.version},
		"status":   fields,
	})
	stored, err := apiserver.SendForMetadata(ctx, w.clients.Frameworks.Patch(types.MergePatchType).
		Namespace(r.key.Namespace).Resource(v1.FrameworkPlural).Name(r.key.Name).SubResource("status").Body(patch))
	if err == nil {
		r.stored.version = stored.ResourceVersion
	}
	return err
}

// invalidCondition returns the condition to store, with the time since when it holds. It counts as reported if it is the only
// stored condition, and equal.
func (s *stored) invalidCondition(condition metav1.Condition) (stored metav1.Condition, reported bool) {
	conditions := conditionsOf(s.rawStatus) // none if the conditions themselves are invalid
	changed := meta.SetStatusCondition(&conditions, condition)
	return *meta.FindStatusCondition(conditions, condition.Type), !changed && len(conditions) == 1
}
