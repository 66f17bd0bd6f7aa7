package lifecycle

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// stepFramework moves the Framework as far as possible. It waits for nothing outside, nor for the next state to be stored.
// There is one function per group of states; each returns whether to look again.
func (r *round) stepFramework() {
	for r.stepState() {
	}
}

func (r *round) stepState() (again bool) {
	switch r.status.State {
	case v1.AttemptCreationPending:
		return r.stepCreationPending()
	case v1.AttemptCreationRequested:
		return r.stepCreationRequested()
	case v1.AttemptPreparing, v1.AttemptRunning, v1.AttemptDeletionPending, v1.AttemptDeletionRequested, v1.AttemptDeleting:
		return r.stepLive()
	case v1.AttemptCompleted:
		return r.stepAttemptCompleted()
	case v1.Completed:
		r.stepCompleted()
	}
	return false
}

// stepLive: the ConfigMap exists, or did when last seen.
func (r *round) stepLive() (again bool) {
	cm := r.configMap()
	switch {
	case r.configMapGone():
		return r.loseConfigMap()
	case cm == nil:
		r.do(ReadConfigMap{})
		return false
	case cm.Deleting && r.status.State != v1.AttemptDeleting:
		return r.followDeletion()
	}
	if !r.completing() {
		r.decideAttempt()
	}
	r.stepTasks()
	if !r.completing() {
		r.awaitPlacement()
	}
	if !r.completing() {
		r.askForDecision()
		r.askForHints()
		r.rereadItems()
	}
	r.requestDeletion(cm)
	return false
}

// decideAttempt completes the attempt if the user, the completion policy or the deadline ends it. An attempt that has ended by
// itself counts as ended rather than suspended.
func (r *round) decideAttempt() {
	if r.stopping() {
		r.completeAttempt(predefined(completion.CodeStopFrameworkRequested, diagnosticsStopped))
		return
	}
	if r.in.Asking.Completion {
		r.applyDecision()
	} else {
		r.applyCompletionPolicy(r.completedCounts())
	}
	if r.completing() {
		return
	}
	if r.outOfTime() {
		r.completeAttempt(r.deadlineExceeded())
	} else if r.suspended() {
		r.completeAttempt(predefined(completion.CodeFrameworkSuspended, diagnosticsSuspended))
	} else if eviction := r.evicted(); eviction != nil {
		r.takeBack(eviction)
	}
}

// requestDeletion requests the ConfigMap's deletion while the attempt is decided, until it is accepted. If we delete the Pods,
// it waits until they are gone: for each deleted Pod, the garbage collector would look at all remaining ones.
func (r *round) requestDeletion(cm *ConfigMap) {
	switch {
	case cm.Deleting:
		r.forceConfigMap(cm)
	case !r.completing(), r.yieldsCluster() && r.anyPodLeft():
	case r.in.Observed.ConfigMap.DeleteRequested != cm.UID:
		if r.releaseAllLogs() {
			r.do(DeleteConfigMap{UID: cm.UID, Why: r.deletion()})
		}
	case r.status.State == v1.AttemptDeletionPending:
		r.move(&f11)
	}
}

// followDeletion: the ConfigMap is terminating, whoever asked for it.
func (r *round) followDeletion() (again bool) {
	if r.attemptUndecided() {
		r.recordOutcome(predefined(completion.CodeConfigMapExternalDeleted, "ConfigMap is being deleted by others"))
	}
	r.move(&f12)
	return true
}

// loseConfigMap: the ConfigMap is gone, and with it every Pod.
func (r *round) loseConfigMap() (again bool) {
	if r.attemptUndecided() {
		r.recordOutcome(predefined(completion.CodeConfigMapExternalDeleted, "ConfigMap was deleted by others"))
	}
	r.endAttempt(&f13)
	return true
}

// completeAttempt decides how the live attempt ends: its ConfigMap, and so its Pods, will be deleted.
func (r *round) completeAttempt(s v1.FrameworkAttemptCompletionStatus) {
	r.recordOutcome(s)
	r.cutShort()
	r.move(&f10)
	r.dropRetries()
}

// yieldsCluster reports whether the attempt ends so that others can run: its Framework is suspended, its scheduler has evicted it,
// or the attempt as a whole has found no place. An attempt that ends because one Task has found no place does not yield.
func (r *round) yieldsCluster() bool {
	s := r.status.AttemptStatus.CompletionStatus
	return s != nil && s.Trigger == nil && completion.IsPredefined(s.CompletionStatus,
		completion.CodeFrameworkSuspended, completion.CodeEvictedByScheduler, completion.CodePodUnschedulable)
}

// dropRetries completes the Tasks that were waiting for a retry, which will no longer happen.
func (r *round) dropRetries() {
	for t := range r.tasks {
		if t.status().State == v1.AttemptCompleted {
			t.finish(nil)
		}
	}
}

func (r *round) recordOutcome(s v1.FrameworkAttemptCompletionStatus) {
	if s.Trigger == nil {
		s.Retries = r.retriesLeft(s.CompletionStatus)
	}
	r.status.AttemptStatus.CompletionStatus = &s
	if s.Type.Name == v1.CompletionFailed && !completion.IsPredefined(s.CompletionStatus, completion.CodeFrameworkSuspended) {
		r.report(r.attemptFailedEvent())
	}
}

// cutShort gives -220 to every Task that has no outcome of its own (contract 4.2). They keep it, even if their Pods then end
// by themselves.
func (r *round) cutShort() {
	for t := range r.tasks {
		t.decideCode(completion.CodeFrameworkAttemptCompletion, diagnosticsCutShort)
	}
}

// endAttempt: nothing of the attempt is left in the cluster, so all its Tasks are completed with it.
func (r *round) endAttempt(row *Transition) {
	r.cutShort()
	for t := range r.tasks {
		t.complete()
	}
	r.move(row)
}

// stepCompleted: the only work left is to archive the Framework, and its deletion after the retention time.
func (r *round) stepCompleted() {
	r.hold(&f17)
	r.clearName()
	stored := r.in.Saved != nil && r.in.Saved.status.State == v1.Completed
	archived := stored && r.archiveAttempt()
	r.out.Requeue = r.out.Requeue || !stored && r.in.Asking.Archive
	if r.in.Framework.Deleting {
		return
	}
	expiry := r.status.TransitionTime.Add(r.retention())
	if r.now.Time.Before(expiry) {
		r.wakeAt(expiry)
		return
	}
	if !stored {
		r.out.Requeue = true // so that the last history entry shows how it ended
		return
	}
	if archived {
		r.do(DeleteFramework{})
	}
}

func (r *round) retention() time.Duration {
	if ttl := r.ttlAfterOutcome(); ttl != nil {
		return seconds(int64(*ttl))
	}
	if ttl := r.in.Framework.Spec.TTLSecondsAfterFinished; ttl != nil {
		return seconds(int64(*ttl))
	}
	return r.in.Config.CompletedRetention
}

// ttlAfterOutcome is the retention time that the spec sets for the outcome; nil if it sets none.
func (r *round) ttlAfterOutcome() *int32 {
	after := r.in.Framework.Spec.TTLSecondsAfter
	switch {
	case after == nil:
		return nil
	case r.status.AttemptStatus.CompletionStatus.Type.Name == v1.CompletionSucceeded:
		return after.Succeeded
	}
	return after.Failed
}

// configMap returns the recorded ConfigMap if it is known to exist.
func (r *round) configMap() *ConfigMap {
	cm, uid := r.in.Observed.ConfigMap.ConfigMap, r.status.AttemptStatus.ConfigMapUID
	if cm == nil || uid == nil || cm.UID != *uid {
		return nil
	}
	return cm
}

// configMapGone reports whether the recorded ConfigMap is certainly gone. A cache that shows nothing, or another one, is no
// proof: it may lag.
func (r *round) configMapGone() bool {
	view, uid := r.in.Observed.ConfigMap, r.status.AttemptStatus.ConfigMapUID
	return view.Gone == *uid || view.Asked && r.configMap() == nil
}
