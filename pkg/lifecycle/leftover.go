package lifecycle

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// clearName deletes a Pod that our ConfigMap controls under the Task's name, though it is not the recorded
// one: its creation succeeded late, or its acknowledgement was lost with the attempt it was for.
func (t task) clearName() {
	if t.leftover() {
		t.r.deleteLeftover(t.ref(), t.role.timeout, reason.NeverAdopted)
	}
}

// leftover reports whether our ConfigMap controls the Pod under the Task's name, though it is not recorded.
// While a recorded Pod may exist, any other of that name can only be a sight of the past.
func (t task) leftover() bool {
	pod, state := t.view().Pod, t.status().State
	return pod != nil && t.pod() == nil && !created(state) && !completing(state) && pod.ConfigMapUID == *t.r.status.AttemptStatus.ConfigMapUID && !t.adoptable()
}

// forceLeftovers sees to Pods that belong to no Task, or to a ConfigMap that belongs to no attempt: they are
// deleted, and by force when their role's timeout is over (decisions, W11).
func (r *round) forceLeftovers(configMap types.UID) {
	for _, ref := range r.leftovers(configMap) {
		r.deleteLeftover(ref, r.timeout(ref.Role), reason.Orphan)
	}
}

// forceConfigMap deletes a terminating ConfigMap of ours at once if it ought to have gone, with all its Pods. That is the
// garbage collector's to do, and it may fail to for ever: while it saw nothing, a Pod that it had seen terminating went,
// and the Task's next one took the name, so that it goes on to wait for the first. It also waits for Pods that are held.
func (r *round) forceConfigMap(cm *ConfigMap) {
	if cm.AwaitsCollector && !r.anyLeftoverRuns(cm.UID) && !r.anyPodLeft() && r.configMapLate(collectorPatience) {
		r.do(DeleteConfigMap{UID: cm.UID, Force: true, Why: reason.Deletion{Cause: reason.CollectorLate}})
	}
}

// anyLeftoverRuns reports whether a leftover may run something, as far as is known.
func (r *round) anyLeftoverRuns(configMap types.UID) bool {
	return slices.ContainsFunc(r.leftovers(configMap), func(ref TaskRef) bool { return !r.view(ref).Pod.Held() })
}

// anyPodLeft reports whether a Task of the attempt still has a Pod, as far as is recorded.
func (r *round) anyPodLeft() bool {
	for t := range r.tasks {
		if state := t.status().State; created(state) || completing(state) {
			return true
		}
	}
	return false
}

// leftovers lists, in a fixed order, the observed Pods of that ConfigMap that no Task accounts for.
func (r *round) leftovers(configMap types.UID) []TaskRef {
	var refs []TaskRef
	recorded := r.status.AttemptStatus.ConfigMapUID
	for ref := range r.in.Observed.Pods {
		pod := r.view(ref).Pod
		ours := pod != nil && pod.ConfigMapUID == configMap
		if ours && (recorded == nil || *recorded != configMap || !r.has(ref)) {
			refs = append(refs, ref)
		}
	}
	slices.SortFunc(refs, compareRefs)
	return refs
}

func (r *round) has(ref TaskRef) bool {
	role := r.roleNamed(ref.Role)
	return role != nil && role.has(ref.Index)
}

func (r *round) roleNamed(name string) *roleDraft {
	for _, role := range r.roles {
		if role.name == name {
			return role
		}
	}
	return nil
}

func (r *round) timeout(role string) *int64 {
	if draft := r.roleNamed(role); draft != nil {
		return draft.timeout
	}
	return nil
}

// deleteLeftover deletes a Pod. If no watch shows it, none may ever show that it has gone: it is deleted once more, if
// it terminates, and that is repeated until it has.
func (r *round) deleteLeftover(ref TaskRef, timeout *int64, cause reason.Cause) {
	view, why := r.view(ref), reason.Deletion{Cause: cause}
	if view.Pod.Deleting && (view.Pod.Cached || timeout != nil) {
		if r.forceDue(view.Pod, timeout) {
			r.do(DeletePod{Task: ref, UID: view.Pod.UID, Force: true, Why: forcedBy(why)})
		}
	} else if view.DeleteRequested != view.Pod.UID {
		r.do(DeletePod{Task: ref, UID: view.Pod.UID, Why: why})
	}
}

// forceDue reports whether a terminating Pod is to be deleted by force: the timeout has passed since termination began.
// Without a timeout it waits for ever, and force is no help against finalizers.
func (r *round) forceDue(pod *Pod, timeout *int64) bool {
	if timeout == nil || pod.Held() {
		return false
	}
	due := pod.TerminationStart.Add(seconds(*timeout))
	if r.in.Now.Before(due) {
		r.wakeAt(due)
		return false
	}
	return true
}
