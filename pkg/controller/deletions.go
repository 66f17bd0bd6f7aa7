package controller

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// A deletion is reported when the API server has accepted it: as a line of the log, in a metric, and, if nothing else reports it,
// in an event. There is a line for each object. A round has one event for each reason, whatever the number of objects, and the
// recorder of events drops some if there are many.

// mostDeletions bounds the number of reasons in the events of one round. The log has all of them.
const mostDeletions = 10

// deletionTold is the last deletion of an object that was reported: the API server accepts any number of them until the object
// has gone.
type deletionTold struct {
	uid   types.UID
	cause reason.Cause
}

// deletionOf returns the object that an action deletes, and the cause; ok is false if it deletes neither a Pod nor a ConfigMap.
func deletionOf(a lifecycle.Action) (kind reason.Kind, uid types.UID, why reason.Deletion, ok bool) {
	switch a := a.(type) {
	case lifecycle.DeletePod:
		return reason.Pod, a.UID, a.Why, true
	case lifecycle.DeleteConfigMap:
		return reason.ConfigMap, a.UID, a.Why, true
	}
	return "", "", reason.Deletion{}, false
}

// reportDeletion reports a deletion that was accepted, and notes it for the events of the next round.
func (rep *reporter) reportDeletion(r *record, about *facts, n result) {
	kind, uid, why, ok := deletionOf(n.action)
	told := deletionTold{uid, why.Cause}
	if !ok || !n.accepted || about.deletionTold == told {
		return
	}
	about.deletionTold = told
	rep.observer.Deleted(kind, why.Cause)
	rep.logDeletion(r, kind, uid, why, n.action)
	if why.Cause.Row().HasEvent(kind) {
		r.noteDeletion(kind, uid, why, n.action)
	}
}

func (rep *reporter) logDeletion(r *record, kind reason.Kind, uid types.UID, why reason.Deletion, a lifecycle.Action) {
	if !rep.log.IsInfo() {
		return
	}
	message := "pod deleted"
	if kind == reason.ConfigMap {
		message = "configmap deleted"
	}
	args := []any{"framework", r.key.String(), "name", r.nameOf(a), "uid", string(uid), "cause", why.Cause.String()}
	if why.Ended {
		args = append(args, "code", why.Code)
	}
	if why.Row != "" {
		args = append(args, "row", why.Row)
	}
	rep.log.Info(message, args...)
}

// noteDeletion has the next round report a deletion, together with others of the same reason.
func (r *record) noteDeletion(kind reason.Kind, uid types.UID, why reason.Deletion, a lifecycle.Action) {
	noted := &r.reported.deletions
	task, attempt := r.deletedAttempt(uid, a)
	for i := range *noted {
		if d := &(*noted)[i]; d.Kind == kind && d.Why == why {
			d.Add(r.nameOf(a), task, attempt)
			return
		}
	}
	if len(*noted) < mostDeletions {
		d := reason.Deleted{Kind: kind, Why: why}
		d.Add(r.nameOf(a), task, attempt)
		*noted = append(*noted, d)
	}
}

// deletedAttempt names the Task whose Pod an action deletes, and its attempt; negative if the Pod does not belong to an attempt.
func (r *record) deletedAttempt(uid types.UID, a lifecycle.Action) (task string, attempt int32) {
	ref, ok := taskOf(a)
	if !ok {
		return "", -1
	}
	if r.status.saved != nil {
		if t := r.status.saved.Task(ref); t != nil && t.AttemptStatus.PodUID != nil && *t.AttemptStatus.PodUID == uid {
			return ref.String(), t.AttemptStatus.ID
		}
	}
	return ref.String(), -1
}

// reportDeletions makes the events about deletions since the last round.
func (rep *reporter) reportDeletions(r *record) {
	for _, d := range r.reported.deletions {
		rep.events(r.key.Namespace).AnnotatedEventf(referenceTo(r), d.EventFacts().Annotations(), corev1.EventTypeNormal, string(d.Kind.EventReason()), "%s", d.Sentence())
	}
	r.reported.deletions = nil
}
