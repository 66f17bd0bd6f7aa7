package lifecycle

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// tasks yields every Task, in the order of the status.
func (r *round) tasks(yield func(task) bool) {
	for _, role := range r.roles {
		for i := range role.tasks {
			if !yield(task{r, role, int32(i)}) {
				return
			}
		}
	}
}

// stepTasks lets each Task move that the observation has news about, in the order of the status. A Task that
// completes may decide the attempt; those after it then see a completing attempt.
func (r *round) stepTasks() {
	for _, t := range r.observedTasks() {
		t.step()
	}
	if r.status.State == v1.AttemptPreparing && r.tally().running > 0 {
		r.move(&f9)
	}
	r.forceLeftovers(*r.status.AttemptStatus.ConfigMapUID)
}

func (r *round) observedTasks() []task {
	if !r.in.Observed.Partial {
		return slices.Collect(r.tasks)
	}
	byName := make(map[string]int, len(r.roles))
	for i, role := range r.roles {
		byName[role.name] = i
	}
	var listed []task
	for ref := range r.in.Observed.Pods {
		if i, ok := byName[ref.Role]; ok && r.roles[i].has(ref.Index) {
			listed = append(listed, task{r, r.roles[i], ref.Index})
		}
	}
	slices.SortFunc(listed, func(a, b task) int {
		return cmp.Or(cmp.Compare(byName[a.role.name], byName[b.role.name]), cmp.Compare(a.index, b.index))
	})
	return listed
}

// tally counts the Tasks of all roles.
func (r *round) tally() tally {
	var sum tally
	for _, role := range r.roles {
		sum.merge(role.tally)
	}
	return sum
}

// step lets the Task move as far as it can without waiting. There is one function per group of states; each
// returns whether to look again.
func (t task) step() {
	for t.stepState() {
	}
	t.clearName()
}

func (t task) stepState() (again bool) {
	switch t.status().State {
	case v1.AttemptCreationPending:
		return t.stepCreationPending()
	case v1.AttemptCreationRequested:
		return t.stepCreationRequested()
	case v1.AttemptPreparing, v1.AttemptRunning:
		return t.stepAlive()
	case v1.AttemptDeletionPending, v1.AttemptDeletionRequested, v1.AttemptDeleting:
		return t.stepEnding()
	case v1.AttemptCompleted:
		return t.stepAttemptCompleted()
	case v1.Completed:
		t.stepCompleted()
	}
	return false
}

// stepCreationPending: the attempt has no Pod as far as known.
func (t task) stepCreationPending() (again bool) {
	switch {
	case t.r.completing():
		t.r.holdTask(t, &t1)
	case t.status().DeletionPending:
		return t.endWithoutPod(&t2, completion.CodeDeleteTaskRequested, diagnosticsScaledDown)
	case t.r.in.Framework.Deleting:
		t.r.holdTask(t, &t1)
	case t.adoptable():
		t.adopt(t.view().Pod.UID)
		return true
	case t.refusal() != nil:
		return t.endWithoutPod(&t4, t.refusal().Code, "Pod creation failed: "+t.refusal().Diagnostics)
	case !t.leftover():
		t.r.holdTask(t, &t5)
		t.r.do(CreatePod{Task: t.ref(), TaskUID: t.status().InstanceUID, AttemptID: t.status().AttemptStatus.ID})
	}
	return false
}

// endWithoutPod ends an attempt whose Pod may, or may not, have been created without us knowing.
func (t task) endWithoutPod(row *Transition, code completion.Code, diagnostics string) (again bool) {
	if t.leftover() {
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
	case !t.r.now.Time.Before(expiry):
		return t.giveUpCreation(completion.CodePodLocalCacheCreationTimeout, diagnosticsInvisible("Pod", t.r.in.Config.CreationTimeout))
	case t.podGone():
		return t.losePod()
	}
	t.r.wakeAt(expiry)
	return false
}

// giveUpCreation deletes a Pod that never showed up, and ends the attempt once it is gone for certain.
func (t task) giveUpCreation(code completion.Code, diagnostics string) (again bool) {
	if !t.podGone() {
		t.deleteForCertain(*t.status().AttemptStatus.PodUID)
		return false
	}
	t.decideCode(code, diagnostics)
	t.move(&t6)
	return true
}

// deleteForCertain deletes a Pod that the cache may never show, and asks until it is gone.
func (t task) deleteForCertain(uid types.UID) {
	if t.view().DeleteRequested != uid {
		t.r.do(DeletePod{Task: t.ref(), UID: uid})
	} else {
		t.r.do(ReadPod{t.ref()})
	}
}

// stepAlive: the Pod exists and has not ended, or had not when last seen. That it terminates counts for more
// than its phase, since a deleted Pod often ends in a phase that says nothing about the deletion.
func (t task) stepAlive() (again bool) {
	pod := t.pod()
	switch {
	case t.podGone():
		return t.losePod()
	case pod == nil:
		t.r.do(ReadPod{t.ref()})
		return false
	case pod.Deleting:
		return t.followDeletion()
	}
	t.refresh(pod)
	return t.followPhase(pod)
}

func (t task) followPhase(pod *Pod) (again bool) {
	switch {
	case pod.Phase == PodSucceeded:
		t.decide(succeededPod(pod.Outcome))
	case pod.Phase == PodFailed:
		t.decide(t.r.failedPod(pod.Outcome))
	case t.status().DeletionPending:
		t.decideCode(completion.CodeDeleteTaskRequested, diagnosticsScaledDown)
	case pod.Phase == PodRunning && t.status().State == v1.AttemptPreparing:
		t.move(&t7b)
		return false
	default:
		return false
	}
	t.move(&t8)
	return true
}

func succeededPod(pod completion.Pod) v1.TaskAttemptCompletionStatus {
	return v1.TaskAttemptCompletionStatus{
		CompletionStatus: completion.Predefined(completion.CodeSucceeded, diagnosticsPodSucceeded),
		Pod:              pod.Status(),
	}
}

func (r *round) failedPod(pod completion.Pod) v1.TaskAttemptCompletionStatus {
	return v1.TaskAttemptCompletionStatus{CompletionStatus: r.in.Config.Rules.Classify(pod), Pod: pod.Status()}
}

// refresh records where the Pod is.
func (t task) refresh(pod *Pod) {
	a := t.status().AttemptStatus
	if equalPtr(a.PodNodeName, &pod.NodeName) && equalPtr(a.PodIP, &pod.IP) && equalPtr(a.PodHostIP, &pod.HostIP) {
		return
	}
	t.update(func(s *v1.TaskStatus) {
		node, ip, host := pod.NodeName, pod.IP, pod.HostIP
		s.AttemptStatus.PodNodeName, s.AttemptStatus.PodIP, s.AttemptStatus.PodHostIP = &node, &ip, &host
	})
}

// stepEnding: the attempt is decided, and its Pod is to go.
func (t task) stepEnding() (again bool) {
	pod := t.pod()
	state := t.status().State
	switch {
	case t.podGone():
		return t.losePod()
	case pod == nil:
		t.r.do(ReadPod{t.ref()})
	case pod.Deleting && state != v1.AttemptDeleting:
		return t.followDeletion()
	case pod.Deleting:
		t.r.forceWhenDue(t.ref(), pod, t.role.timeout)
	case t.view().DeleteRequested != pod.UID:
		t.r.do(DeletePod{Task: t.ref(), UID: pod.UID})
	case state == v1.AttemptDeletionPending:
		t.move(&t9)
	}
	return false
}

// followDeletion: the Pod is terminating, whoever asked for it.
func (t task) followDeletion() (again bool) {
	t.decideCode(completion.CodePodExternalDeleted, "Pod is being deleted by others")
	t.move(&t10)
	return true
}

// losePod: the Pod is gone.
func (t task) losePod() (again bool) {
	t.decideCode(completion.CodePodExternalDeleted, "Pod was deleted by others")
	t.move(&t11)
	return true
}

// stepCompleted makes sure that a Task that a scale-down removes gets its removal looked at.
func (t task) stepCompleted() {
	if t.status().DeletionPending && !t.isStored() {
		t.r.revisit(t.ref())
	}
}

// adoptable reports whether the Pod under the Task's name was made for this very attempt, so that only its
// acknowledgement can have been lost (decisions, W10).
func (t task) adoptable() bool {
	pod, s := t.view().Pod, t.status()
	return s.State == v1.AttemptCreationPending && !s.DeletionPending && !t.r.completing() && !t.r.in.Framework.Deleting &&
		pod != nil && !pod.Deleting && pod.ConfigMapUID == *t.r.status.AttemptStatus.ConfigMapUID &&
		pod.TaskUID != "" && pod.TaskUID == s.InstanceUID && pod.TaskAttemptID == s.AttemptStatus.ID
}

func (t task) adopt(uid types.UID) {
	t.update(func(s *v1.TaskStatus) {
		instance := v1.InstanceUID(s.AttemptStatus.ID, string(uid))
		s.AttemptStatus.PodUID, s.AttemptStatus.InstanceUID = &uid, &instance
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

// pod returns the recorded Pod if it is known to exist.
func (t task) pod() *Pod {
	pod, uid := t.view().Pod, t.status().AttemptStatus.PodUID
	if pod == nil || uid == nil || pod.UID != *uid {
		return nil
	}
	return pod
}

// podGone reports whether the recorded Pod no longer exists for certain.
func (t task) podGone() bool {
	view, uid := t.view(), t.status().AttemptStatus.PodUID
	return uid != nil && (view.Gone == *uid || view.Asked && t.pod() == nil)
}

func (r *round) taskFailed(t task) {
	s := t.status().AttemptStatus.CompletionStatus
	r.report(Event{Warning: true, Reason: ReasonTaskFailed, Message: fmt.Sprintf("Task %s: %s", t.ref(), summary(s.CompletionStatus))})
}
