package lifecycle

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// clearName deletes an unrecorded Pod that our ConfigMap controls under the Task's name: its creation succeeded late, or its
// acknowledgement was lost with its attempt.
func (t task) clearName() {
	if t.leftover() {
		t.r.deleteLeftover(t.ref(), t.role.timeout, reason.NeverAdopted)
	}
}

// leftover reports whether our ConfigMap controls an unrecorded Pod under the Task's name. While a recorded Pod may exist, any
// other Pod of that name can only be an outdated view.
func (t task) leftover() bool {
	pod, state := t.view().Pod, t.status().State
	return pod != nil && t.pod() == nil && !created(state) && !completing(state) && pod.ConfigMapUID == *t.r.status.AttemptStatus.ConfigMapUID && !t.adoptable()
}

// forceLeftovers handles Pods that belong to no Task, or to a ConfigMap that belongs to no attempt: they are deleted, and by
// force after their role's timeout (decisions, W11).
func (r *round) forceLeftovers(configMap types.UID) {
	for _, ref := range r.leftovers(configMap) {
		r.deleteLeftover(ref, r.timeout(ref.Role), reason.Orphan)
	}
}

// forceConfigMap deletes a ConfigMap of ours at once if it is being deleted and should be gone, with all its Pods. That is the
// garbage collector's task, but it may never finish: if a Pod that it had seen being deleted went unnoticed, and the Task's next
// Pod took the name, it keeps waiting for the first one. It also waits for held Pods.
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

func compareRefs(a, b TaskRef) int {
	return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Index, b.Index))
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

// deleteLeftover deletes a Pod. If no watch shows the Pod, none may ever show its end: if it is being deleted, the deletion is
// repeated until it is gone.
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

// forceDue reports whether a Pod that is being deleted should be deleted by force: the timeout has passed since termination
// began. Without a timeout it waits forever, and force does not help against finalizers.
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
