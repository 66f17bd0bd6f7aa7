package lifecycle

import (
	"cmp"
	"slices"

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

// stepTasks lets each Task with news move, in the order of the status. A Task that completes may decide the attempt; the Tasks
// after it then see a completing attempt.
func (r *round) stepTasks() {
	for _, t := range r.observedTasks() {
		t.step()
	}
	if r.status.State == v1.AttemptPreparing && r.tally().running > 0 {
		r.move(&f9)
	}
	r.restartTogether()
	r.giveTurns()
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

// step moves the Task as far as possible without waiting. There is one function per group of states; each returns whether to
// look again.
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

// stepAlive: the Pod exists and has not ended, or had not when last seen. Its termination takes precedence over its phase,
// since a deleted Pod often ends in a phase that does not reflect the deletion.
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
	t.noteReady(pod)
	return t.followPhase(pod)
}

func (t task) followPhase(pod *Pod) (again bool) {
	switch {
	case pod.Result() == PodSucceeded:
		t.decide(succeededPod(pod.Outcome))
	case pod.Result() == PodFailed && !t.judged(pod):
		t.r.do(ClassifyPod{t.ref(), pod.UID})
		return false
	case pod.Result() == PodFailed:
		t.decide(t.failedPod(pod))
	case t.restarting():
	case t.status().DeletionPending:
		t.decideCode(completion.CodeDeleteTaskRequested, diagnosticsScaledDown)
	case t.avoidsTooStrictly(pod):
		t.relax(pod)
	case pod.Phase == PodRunning && t.status().State == v1.AttemptPreparing:
		t.setPendingSince(nil)
		t.move(&t7b)
		t.runsTooLong() // schedules a wake-up
		t.deletePodForYield(pod)
		return false
	case t.startsTooLate(pod), t.runsTooLong():
	default:
		t.deletePodForYield(pod)
		return false
	}
	t.move(&t8)
	return true
}

// deletePodForYield deletes the Pod if its attempt yields the cluster to others. The garbage collector would delete it, too, but only
// some forty Pods per second, and others wait for the Pod's resources.
func (t task) deletePodForYield(pod *Pod) {
	if t.r.yieldsCluster() && t.view().DeleteRequested != pod.UID && t.releaseLogs(pod) {
		t.r.do(DeletePod{Task: t.ref(), UID: pod.UID, GraceSeconds: t.r.evictionGrace(), Why: t.r.deletion()})
	}
}

func succeededPod(pod completion.Pod) v1.TaskAttemptCompletionStatus {
	return v1.TaskAttemptCompletionStatus{
		CompletionStatus: completion.Predefined(completion.CodeSucceeded, diagnosticsPodSucceeded),
		Pod:              pod.Status(),
	}
}

func (t task) failedPod(pod *Pod) v1.TaskAttemptCompletionStatus {
	var out v1.TaskAttemptCompletionStatus
	if t.r.in.Asking.Classification && t.undecided() {
		out.CompletionStatus, out.Advice = t.view().Verdict.Status, t.view().Verdict.Advice
	} else {
		out.CompletionStatus = t.r.in.Config.Rules.Classify(pod.Outcome)
	}
	// A Pod that is judged as deleted has not ended by itself, so nobody looks for the cause in its containers or its node.
	if !completion.IsPredefined(out.CompletionStatus, completion.CodePodExternalDeleted) {
		out.Pod = pod.Outcome.Status()
	}
	return out
}

// refresh records the location of the Pod.
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

// stepEnding: the attempt is decided, and its Pod is being removed.
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
	case pod.Held():
		t.move(&t11)
		return true
	case pod.Deleting:
		t.saveLogs(pod)
		if t.r.forceDue(pod, t.role.timeout) {
			t.r.do(DeletePod{Task: t.ref(), UID: pod.UID, Force: true, Why: forcedBy(t.deletion())})
		}
	case t.view().DeleteRequested != pod.UID:
		if t.releaseLogs(pod) {
			t.r.do(DeletePod{Task: t.ref(), UID: pod.UID, Why: t.deletion()})
		}
	case state == v1.AttemptDeletionPending:
		t.move(&t9)
	}
	return false
}

// followDeletion: the Pod is terminating, whoever asked for it.
func (t task) followDeletion() (again bool) {
	t.takeAway("Pod is being deleted by others")
	t.move(&t10)
	return true
}

// losePod: the Pod is gone.
func (t task) losePod() (again bool) {
	t.takeAway("Pod was deleted by others")
	t.move(&t11)
	return true
}

// stepCompleted makes sure that the removal of a Task by a scale-down is noticed, and that the Task is archived before.
func (t task) stepCompleted() {
	switch {
	case !t.status().DeletionPending:
	case !t.isStored():
		t.r.requeue(t.ref())
	default:
		t.archive()
	}
}

// pod returns the recorded Pod if it is known to exist.
func (t task) pod() *Pod {
	pod, uid := t.view().Pod, t.status().AttemptStatus.PodUID
	if pod == nil || uid == nil || pod.UID != *uid {
		return nil
	}
	return pod
}

// podGone reports whether the recorded Pod is certainly gone.
func (t task) podGone() bool {
	view, uid := t.view(), t.status().AttemptStatus.PodUID
	return uid != nil && (view.Gone == *uid || view.Asked && t.pod() == nil)
}
