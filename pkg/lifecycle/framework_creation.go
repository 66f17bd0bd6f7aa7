package lifecycle

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// stepCreationPending: the attempt has no ConfigMap as far as known.
func (r *round) stepCreationPending() (again bool) {
	switch {
	case r.in.Framework.Deleting:
		r.hold(&f2)
	case r.in.Framework.Spec.ExecutionType == v1.ExecutionCreate:
		r.hold(&f3)
	case r.stopping():
		return r.endBeforeCreation(predefined(completion.CodeStopFrameworkRequested, diagnosticsStopped))
	case r.adoptable():
		r.adopt(r.in.Observed.ConfigMap.ConfigMap.UID)
		return true
	case r.suspended():
		r.hold(&f3a)
	case !r.stale() && r.outOfTime():
		return r.endBeforeCreation(r.deadlineExceeded())
	case !r.itemsReady():
		r.hold(&f3b)
	case !r.stale():
		r.do(CreateConfigMap{AttemptID: r.status.AttemptStatus.ID})
	}
	r.clearName()
	return false
}

// endBeforeCreation ends an attempt whose ConfigMap may have been created without our knowledge.
func (r *round) endBeforeCreation(s v1.FrameworkAttemptCompletionStatus) (again bool) {
	switch {
	case r.stale():
		r.clearName()
	case !r.in.Observed.ConfigMap.Asked:
		r.do(ReadConfigMap{})
	default:
		r.recordOutcome(s)
		r.endAttempt(&f4)
		return true
	}
	return false
}

// adoptable reports whether the ConfigMap under our name was made for this very attempt. Then only its
// acknowledgement can have been lost (decisions, W10).
func (r *round) adoptable() bool {
	cm := r.in.Observed.ConfigMap.ConfigMap
	return r.stale() && !cm.Deleting && cm.AttemptID == r.status.AttemptStatus.ID
}

// stale reports whether our own Framework controls the ConfigMap under our name, though it is not recorded.
func (r *round) stale() bool {
	cm := r.in.Observed.ConfigMap.ConfigMap
	return cm != nil && cm.FrameworkUID == r.in.Framework.UID && r.configMap() == nil
}

// clearName deletes a ConfigMap of ours that cannot be adopted, and its Pods: it was left behind by an earlier attempt, or the
// present attempt should not run.
func (r *round) clearName() {
	if !r.stale() {
		return
	}
	cm := r.in.Observed.ConfigMap.ConfigMap
	if cm.Deleting {
		r.forceConfigMap(cm)
	} else if r.in.Observed.ConfigMap.DeleteRequested != cm.UID {
		r.do(DeleteConfigMap{UID: cm.UID, Why: reason.Deletion{Cause: r.causeToClear(cm)}})
	}
	r.forceLeftovers(cm.UID)
}

// causeToClear: the acknowledgement of a ConfigMap for the present attempt was lost; any other belongs to no attempt.
func (r *round) causeToClear(cm *ConfigMap) reason.Cause {
	if cm.AttemptID == r.status.AttemptStatus.ID {
		return reason.NeverAdopted
	}
	return reason.Orphan
}

func (r *round) adopt(uid types.UID) {
	instance := v1.InstanceUID(r.status.AttemptStatus.ID, string(uid))
	r.status.AttemptStatus.ConfigMapUID = &uid
	r.status.AttemptStatus.InstanceUID = &instance
	r.move(&f5)
}

// stepCreationRequested: the ConfigMap is acknowledged, the cache has not shown it yet.
func (r *round) stepCreationRequested() (again bool) {
	cm := r.configMap()
	expiry := r.status.TransitionTime.Add(r.in.Config.CreationTimeout)
	switch {
	case cm != nil && cm.Cached && cm.Deleting:
		r.stopUnseen()
		return r.followDeletion()
	case cm != nil && cm.Cached:
		r.move(&f8)
		return true
	case r.stopping():
		return r.giveUpCreation(completion.CodeStopFrameworkRequested, diagnosticsStopped)
	case !r.now.Time.Before(expiry):
		return r.giveUpCreation(completion.CodeConfigMapLocalCacheCreationTimeout, diagnosticsInvisible("ConfigMap", r.in.Config.CreationTimeout))
	case r.configMapGone():
		return r.loseConfigMap()
	}
	r.hold(&f6)
	r.wakeAt(expiry)
	return false
}

// stopUnseen decides a stop while the ConfigMap is being deleted when it is first seen. An unseen ConfigMap is deleted before
// an outcome is stored, so that deletion may be our own, even if this process does not remember it after a restart.
func (r *round) stopUnseen() {
	if r.stopping() {
		r.recordOutcome(predefined(completion.CodeStopFrameworkRequested, diagnosticsStopped))
		r.cutShort()
	}
}

// giveUpCreation deletes a ConfigMap that never showed up, and ends the attempt once it is certainly gone.
func (r *round) giveUpCreation(code completion.Code, diagnostics string) (again bool) {
	if !r.configMapGone() {
		r.deleteForCertain(*r.status.AttemptStatus.ConfigMapUID, unseen(code, causesOfFramework))
		return false
	}
	r.recordOutcome(predefined(code, diagnostics))
	r.endAttempt(&f7)
	return true
}

// deleteForCertain deletes a ConfigMap that the cache may never show, and repeats this until it is gone.
func (r *round) deleteForCertain(uid types.UID, why reason.Deletion) {
	if r.in.Observed.ConfigMap.DeleteRequested != uid {
		r.do(DeleteConfigMap{UID: uid, Why: why})
	} else {
		r.do(ReadConfigMap{})
	}
}
