package lifecycle

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// stepCreationPending: the attempt has no Pod as far as known.
func (t task) stepCreationPending() (again bool) {
	switch {
	case t.r.completing():
		t.r.holdTask(t, &t1)
	case t.status().DeletionPending:
		return t.endWithoutPod(&t2, completion.CodeDeleteTaskRequested, diagnosticsScaledDown)
	case t.r.in.Framework.Deleting:
		t.r.holdTask(t, &t1)
	case t.awaitsRestart():
		t.awaitRestart()
	case t.restarting(): // an earlier version has ended the attempt, though it had no Pod
		return t.endWithoutPod(&t2, completion.CodeRestartedWithPeers, "")
	case t.status().InstanceUID == "" && !awaitsTurn(t.status()):
		t.giveUID()
	case t.adoptable() && t.view().Unsure && !t.view().Asked:
		t.r.holdTask(t, &t5)
		t.r.do(ReadPod{t.ref()})
	case t.adoptable():
		t.adopt(t.view().Pod.UID)
		return true
	case t.refusal() != nil:
		return t.endWithoutPod(&t4, t.refusal().Code, completion.RefusedDiagnostics(t.refusal().Diagnostics))
	case t.r.heldBack(t.role):
		t.r.holdTask(t, &t5a)
	case awaitsTurn(t.status()):
		t.r.holdTask(t, &t5c)
	case t.r.lacksItems(t.role):
		t.r.holdTask(t, &t5d)
	case !t.leftover() && t.hinted() && t.claimed():
		t.r.holdTask(t, &t5)
		t.r.do(CreatePod{Task: t.ref(), TaskUID: t.status().InstanceUID, AttemptID: t.status().AttemptStatus.ID})
	}
	return false
}

// giveUID gives an instance UID to a Task of an old status without UIDs. It has to be stored before the Pod, which would
// otherwise be taken for a stranger's. A Task that has a Pod is left as it is.
func (t task) giveUID() {
	t.update(func(s *v1.TaskStatus) { s.InstanceUID = t.r.newUID("task", t.role.name, t.index) })
	t.r.requeue(t.ref())
}

// endWithoutPod ends an attempt whose Pod may have been created without our knowledge.
func (t task) endWithoutPod(row *Transition, code completion.Code, diagnostics string) (again bool) {
	if t.leftover() && !t.view().Pod.Held() {
		return false
	}
	if !t.view().Asked {
		t.r.do(ReadPod{t.ref()})
		return false
	}
	t.decideCode(code, diagnostics)
	t.move(row)
	return true
}

// adoptable reports whether the Pod under the Task's name was made for this very attempt. Then only its
// acknowledgement can have been lost (decisions, W10).
func (t task) adoptable() bool {
	pod, s := t.view().Pod, t.status()
	return s.State == v1.AttemptCreationPending && !s.DeletionPending && !t.restarting() && !t.r.completing() && !t.r.in.Framework.Deleting &&
		pod != nil && !pod.Deleting && pod.ConfigMapUID == *t.r.status.AttemptStatus.ConfigMapUID &&
		pod.TaskUID != "" && pod.TaskUID == s.InstanceUID && pod.TaskAttemptID == s.AttemptStatus.ID
}

func (t task) adopt(uid types.UID) {
	t.update(func(s *v1.TaskStatus) {
		instance := v1.InstanceUID(s.AttemptStatus.ID, string(uid))
		s.AttemptStatus.PodUID, s.AttemptStatus.InstanceUID = &uid, &instance
		s.AttemptStatus.AwaitsTurn = false // its turn was taken back while its Pod was being created
	})
	t.move(&t3)
}

// refusal returns the API server's refusal of the current attempt's Pod, nil if there is none.
func (t task) refusal() *Refusal {
	refusal, s := t.view().Refusal, t.status()
	if refusal == nil || refusal.TaskUID != s.InstanceUID || refusal.TaskAttemptID != s.AttemptStatus.ID {
		return nil
	}
	return refusal
}

// stepCreationRequested: the Pod is acknowledged, the cache has not shown it yet.
func (t task) stepCreationRequested() (again bool) {
	pod := t.pod()
	expiry := t.status().TransitionTime.Add(t.r.in.Config.CreationTimeout)
	switch {
	case pod != nil && pod.Cached && pod.Deleting:
		return t.followDeletion()
	case pod != nil && pod.Cached:
		t.move(&t7a)
		return true
	case t.status().DeletionPending:
		return t.giveUpCreation(completion.CodeDeleteTaskRequested, diagnosticsScaledDown)
	case t.restarting():
		return t.giveUpCreation(completion.CodeRestartedWithPeers, "")
	case !t.r.now.Time.Before(expiry):
		return t.giveUpCreation(completion.CodePodLocalCacheCreationTimeout, diagnosticsInvisible("Pod", t.r.in.Config.CreationTimeout))
	case t.podGone():
		return t.losePod()
	}
	t.r.wakeAt(expiry)
	return false
}

// giveUpCreation deletes a Pod that never showed up, and ends the attempt once it is certainly gone.
func (t task) giveUpCreation(code completion.Code, diagnostics string) (again bool) {
	if !t.podGone() {
		why := unseen(code, causesOfTask)
		if !t.undecided() {
			why = t.deletion()
		}
		t.deleteForCertain(*t.status().AttemptStatus.PodUID, why)
		return false
	}
	t.decideCode(code, diagnostics)
	t.move(&t6)
	return true
}

// deleteForCertain deletes a Pod that the cache may never show, and repeats this until it is gone.
func (t task) deleteForCertain(uid types.UID, why reason.Deletion) {
	if t.view().DeleteRequested != uid {
		t.r.do(DeletePod{Task: t.ref(), UID: uid, Why: why})
	} else {
		t.r.do(ReadPod{t.ref()})
	}
}
