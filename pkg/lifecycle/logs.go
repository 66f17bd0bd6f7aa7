package lifecycle

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The log of a Pod is deleted with the Pod. With Asking.Logs, a sink collects it before. The caller decides how long that may take, and
// answers in any case. Nothing waits for the logs of a Pod that has not started any container, or that is being deleted already, and a
// stop never waits.

// releaseLogs reports whether the Pod, which is decided, may be deleted now, and asks for its logs otherwise.
func (t task) releaseLogs(pod *Pod) bool {
	if t.r.stopping() || !pod.HasLogs || t.logsCollected(pod.UID) {
		return true
	}
	t.collectLogs(pod.UID)
	return false
}

// saveLogs asks for the logs of a Pod that is being deleted. Nothing waits for the answer.
func (t task) saveLogs(pod *Pod) {
	if pod.HasLogs && !pod.Held() && !t.logsCollected(pod.UID) {
		t.collectLogs(pod.UID)
	}
}

// releaseAllLogs reports whether the ConfigMap, which is deleted with the Pods of the attempt, may be deleted now, and asks for the
// logs of the Pods that run otherwise. A round that does not look at all Pods knows from the status which run.
func (r *round) releaseAllLogs() bool {
	if !r.in.Asking.Logs || r.stopping() {
		return true
	}
	released := true
	for t := range r.tasks {
		if uid := t.status().AttemptStatus.PodUID; uid != nil && t.keepsLogs() && !t.logsCollected(*uid) {
			t.collectLogs(*uid)
			released = false
		}
	}
	return released
}

// keepsLogs reports whether the Task has a Pod that may have logs and is not being deleted, by its status.
func (t task) keepsLogs() bool {
	switch s := t.status(); s.State {
	case v1.AttemptRunning:
		return true
	case v1.AttemptDeletionPending:
		ended := s.AttemptStatus.CompletionStatus
		return s.AttemptStatus.RunTime != nil || ended != nil && ended.Pod != nil && len(ended.Pod.Containers) > 0
	}
	return false
}

// logsCollected reports whether the logs of the Pod need not be waited for.
func (t task) logsCollected(uid types.UID) bool {
	return !t.r.in.Asking.Logs || t.r.in.Observed.LogsCollected[t.ref()] == uid || !t.wantsLogs()
}

// wantsLogs reports whether the Framework lets logs of the Task be kept.
func (t task) wantsLogs() bool {
	return t.role.spec == nil || t.role.spec.Task.Logs == nil || t.role.spec.Task.Logs.Policy != v1.LogNone
}

// collectLogs asks once in a round.
func (t task) collectLogs(uid types.UID) {
	if t.r.collecting[t.ref()] {
		return
	}
	if t.r.collecting == nil {
		t.r.collecting = map[TaskRef]bool{}
	}
	t.r.collecting[t.ref()] = true
	t.r.do(CollectLogs{Task: t.ref(), UID: uid})
}
