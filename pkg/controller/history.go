package controller

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// historyWriter writes to the history before data is lost.
type historyWriter struct {
	log      *history.Log // nil if there is no history
	reporter *reporter
}

// logDropped logs the data that the next state drops, before that state is stored: afterwards nothing has it. If the write
// failed and the same is decided again, nothing is logged twice.
func (h *historyWriter) logDropped(r *record, out lifecycle.Output, actions []lifecycle.Action) {
	if h.log == nil {
		return
	}
	for _, m := range out.Moves {
		if m.Task == nil && m.To == v1.AttemptCompleted {
			h.logUnwatchedPods(r)
		}
		if d, ok := r.status.drops(m); ok && r.reported.isFirstReport(d) {
			h.logMove(r, m)
		}
	}
	for _, a := range actions {
		if _, ok := a.(lifecycle.DeleteFramework); ok && r.reported.isFirstReport(dropped{}) {
			h.log.FrameworkDeletion(frameworkForHistory(r), "will be deleted")
		}
	}
}

// logMove logs the data that a move drops.
func (h *historyWriter) logMove(r *record, m lifecycle.Move) {
	switch m.Row {
	case lifecycle.RowTaskRetried:
		t := taskForHistory(r, *m.Task)
		status := *t.Status
		status.RetryPolicyStatus.RetryDelaySec = orAtOnce(status.RetryPolicyStatus.RetryDelaySec)
		t.Status = &status
		h.log.TaskRetry(r.stored.currentMeta(), t)
	case lifecycle.RowTaskRemoved:
		h.log.TaskDeletion(r.stored.currentMeta(), taskForHistory(r, *m.Task))
	case lifecycle.RowFrameworkRetried:
		h.log.FrameworkRetry(retriedForHistory(r))
	}
}

// logDeletion logs a Framework that is gone.
func (h *historyWriter) logDeletion(r *record) {
	if h.log == nil || r.stored.spec == nil {
		return // it was never read
	}
	f := frameworkForHistory(r)
	if d := r.reported.deleted; d != nil {
		f.Metadata.ResourceVersion, f.Metadata.Finalizers = d.ResourceVersion, d.Finalizers
		f.Metadata.DeletionTimestamp, f.Metadata.DeletionGracePeriodSeconds = d.DeletionTimestamp, d.DeletionGracePeriodSeconds
	}
	if r.status.saved != nil {
		if stored, err := encodeStatus(h.reporter, r, r.status.saved); err == nil {
			f.Status = stored
		}
	}
	h.log.FrameworkDeletion(f, "Deleted")
}

// logPodDeletion logs a Pod of the current attempt that is gone. Only the stored status shows which attempt that is, so Pods
// deleted before the first read have to wait.
func (h *historyWriter) logPodDeletion(r *record, p *podview.CachedPod) {
	if !h.log.WantsPods() || p == nil {
		return
	}
	if r.stored.version == "" {
		r.reported.early = append(r.reported.early, p)
		return
	}
	controller := metav1.GetControllerOfNoCopy(p)
	if controller == nil || controller.UID != r.status.configMapUID() {
		return
	}
	if whole := p.Unpack(); whole != nil {
		h.log.PodDeletion(&r.stored.meta, whole)
	}
}

// logUnwatchedPods logs Pods that the watch no longer shows when their attempt has completed. No Pod outlives its attempt, so
// nobody looks them up again.
func (h *historyWriter) logUnwatchedPods(r *record) {
	for _, f := range r.dependents.pods {
		h.logUnwatchedPod(r, f)
	}
}

// logUnwatchedPod logs a Pod that is gone.
func (h *historyWriter) logUnwatchedPod(r *record, f *facts) {
	if p, isPod := f.unwatched.(*podview.CachedPod); isPod {
		h.logPodDeletion(r, p)
	}
	f.unwatched = nil
}

// logEarlyPods logs the Pods that were deleted before the Framework was read.
func (h *historyWriter) logEarlyPods(r *record) {
	for _, p := range r.reported.early {
		h.logPodDeletion(r, p)
	}
	r.reported.early = nil
}

// frameworkForHistory returns the Framework as stored, uncompressed.
func frameworkForHistory(r *record) history.Framework {
	if r.status.saved == nil {
		return historyWith(r, r.stored.rawStatus)
	}
	return historyWith(r, apiserver.JSON(r.status.saved.Status()))
}

func historyWith(r *record, status json.RawMessage) history.Framework {
	return history.Framework{Metadata: *r.stored.currentMeta(), Spec: r.stored.spec, Status: status}
}

// currentMeta returns the Framework's metadata with the resourceVersion of its last status write: the object is not read again
// after our own writes, and collectors use the version to skip duplicates.
func (s *stored) currentMeta() *metav1.ObjectMeta {
	m := s.meta
	m.ResourceVersion = s.version
	return &m
}

// retriedForHistory is frameworkForHistory before a retry.
func retriedForHistory(r *record) history.Framework {
	status := *r.status.saved.Status()
	status.RetryPolicyStatus.RetryDelaySec = orAtOnce(status.RetryPolicyStatus.RetryDelaySec)
	return historyWith(r, apiserver.JSON(&status))
}

// orAtOnce returns the delay of a retry as the original reports it: before an immediate retry, it stores a delay of 0.
func orAtOnce(delay *int64) *int64 {
	if delay == nil {
		return new(int64)
	}
	return delay
}

func taskForHistory(r *record, ref lifecycle.TaskRef) history.Task {
	role, _ := r.status.saved.Role(ref.Role)
	t := history.Task{Attempt: &r.status.saved.Framework().AttemptStatus, Role: role, Status: r.status.saved.Task(ref)}
	for i := range r.framework.Spec.TaskRoles {
		if spec := &r.framework.Spec.TaskRoles[i]; spec.Name == ref.Role {
			t.Spec, t.RoleRetryPolicy = &spec.Task, spec.RetryPolicy
			break
		}
	}
	return t
}
