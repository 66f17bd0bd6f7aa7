package explain

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Task says what one Task is doing, or that the status has no such Task.
func Task(f Facts, role string, index int32) Answer {
	t := newTelling(f)
	if t.leftAlone() {
		return t.answer
	}
	task := t.taskStatus(role, index)
	if task == nil {
		t.say("Framework %s has no Task %s.", f.Framework.Name, TaskName(role, index))
		return t.answer
	}
	t.aboutPod(task.AttemptStatus.PodName)
	t.taskHeadline(role, task)
	t.taskRetries(task)
	t.taskWaits(task)
	if spec := t.roleSpec(role); spec != nil && StandingOf(task) == Starting {
		t.startOrder("Role "+role, spec)
	}
	t.podWaits(task)
	t.startDeadline(role, task)
	if StandingOf(task) == Starting {
		t.avoidedNodes(role)
	}
	t.taskEnded(role, task)
	t.earlierDeletions(role, task)
	t.earlierTaskAttempts(TaskName(role, index), task)
	t.advise(Step{Command: "kubectl framework explain {framework} -n {namespace}", Why: "says more about the whole Framework"})
	return t.answer
}

func (t *telling) taskHeadline(role string, task *v1.TaskStatus) {
	who := fmt.Sprintf("Task %s of Framework %s", TaskName(role, task.Index), t.Framework.Name)
	a := &task.AttemptStatus
	switch standing := StandingOf(task); standing {
	case Running:
		if t.unjudged(task) {
			t.say("The Pod %s of %s%s has failed, in attempt %d, and it is not decided yet what that means.", a.PodName, who, placeOf(a), a.ID)
			t.advise(seeLogs, describePod)
			return
		}
		t.say("%s has been running since %s, in attempt %d, as Pod %s%s.", who, t.since(timeOf(a.RunTime, task.TransitionTime.Time)), a.ID, a.PodName, placeOf(a))
		t.advise(seeLogs, describePod)
	case Starting:
		t.starting(who, a)
	case Retrying:
		next := ""
		if r, ok := t.taskRetry("", role, task); ok && t.prospect(r).follows() {
			next = ", and another one follows"
		}
		t.say("Attempt %d of %s is over%s.", a.ID, who, next)
	case Ending:
		t.say("Attempt %d of %s is over, and its Pod %s is being deleted.", a.ID, who, a.PodName)
		t.advise(describePod)
	case Removing:
		t.say("%s is being removed, as the number of Tasks of role %s was lowered.", who, role)
	default:
		t.say("%s %s: it ended at %s, in attempt %d%s.", who, verbs[standing][0], t.since(timeOf(task.CompletionTime, task.TransitionTime.Time)), a.ID, placeOf(a))
	}
}

// unjudged reports whether a Task counts as running although its Pod has failed, as a plugin has yet to say what that means.
func (t *telling) unjudged(task *v1.TaskStatus) bool {
	pod := t.pod(task.AttemptStatus.PodName)
	return StandingOf(task) == Running && pod != nil && pod.Status.Phase == corev1.PodFailed
}

// starting tells of a Task whose Pod does not run yet, if there is one at all.
func (t *telling) starting(who string, a *v1.TaskAttemptStatus) {
	if t.pod(a.PodName) == nil {
		t.say("%s has been starting since %s, in attempt %d, and its Pod has not been created yet.", who, t.since(a.StartTime.Time), a.ID)
		if r := a.AwaitedRestart; r != nil {
			t.say("It is created when all Tasks that start again with Task %s have ended their attempts.", TaskName(r.TaskRoleName, r.TaskIndex))
		}
		return
	}
	t.say("%s has been starting since %s, in attempt %d, as Pod %s%s.", who, t.since(a.StartTime.Time), a.ID, a.PodName, placeOf(a))
	t.advise(describePod)
}

// placeOf says where the Pod of an attempt is, as far as it is known.
func placeOf(a *v1.TaskAttemptStatus) string {
	var out string
	if a.PodNodeName != nil && *a.PodNodeName != "" {
		out = " on node " + *a.PodNodeName
	}
	if a.PodIP != nil && *a.PodIP != "" {
		out += " with address " + *a.PodIP
	}
	return out
}

func (t *telling) taskRetries(task *v1.TaskStatus) {
	if task.RetryPolicyStatus.TotalRetriedCount > 0 {
		t.say("It has been tried again %s.", howOften(task.RetryPolicyStatus))
	}
}

// howOften says how often something was tried again, and what of that counted.
func howOften(n v1.RetryPolicyStatus) string {
	counted, total := n.AccountableRetriedCount, n.TotalRetriedCount
	switch {
	case total == 1 && counted == 1:
		return "once, which counted against maxRetryCount"
	case total == 1:
		return "once, which did not count against maxRetryCount"
	case counted == 0:
		return fmt.Sprintf("%d times, none of which counted against maxRetryCount", total)
	case counted == total:
		return fmt.Sprintf("%d times, all of which counted against maxRetryCount", total)
	}
	return fmt.Sprintf("%d times, of which %d counted against maxRetryCount", total, counted)
}

// podWaits says why the Pod of a Task does not run, as the Pod itself tells.
func (t *telling) podWaits(task *v1.TaskStatus) {
	name := task.AttemptStatus.PodName
	pod := t.pod(name)
	switch {
	case pod == nil:
		return
	case StandingOf(task) == Running:
		t.sayContainersLeft(pod)
		return
	case StandingOf(task) != Starting:
		return
	}
	t.sayPodWaits(pod)
	t.lastWords(name)
}

// sayContainersLeft says what keeps a Pod running although the container that does the work has ended.
func (t *telling) sayContainersLeft(pod *corev1.Pod) {
	ended, left, ok := podview.ContainersLeft(pod)
	if !ok {
		return
	}
	t.say("Container %s exited with code %d, but %s is still running and keeps the Pod running.", ended.Name, ended.State.Terminated.ExitCode, left)
	t.add("%s", reason.ContainersLeft.Row().Ends)
}

// startDeadline says when an attempt fails whose Pod does not get to run.
func (t *telling) startDeadline(role string, task *v1.TaskStatus) {
	pending, ok := deadline.PendingOf(&t.Framework.Spec, role, task)
	if !ok || StandingOf(task) != Starting || pending.Field == "" {
		return
	}
	t.say("If that stays so, its attempt fails at %s, by startDeadline.%s of its role, unless a plugin lets it take longer.",
		t.until(pending.Deadline), pending.Field)
}

func (t *telling) sayPodWaits(pod *corev1.Pod) {
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && !t.saidAlready(c.Message) {
			t.say("Its Pod has no node: %s: %s", c.Reason, asSentence(c.Message))
		}
	}
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range list {
			if w := list[i].State.Waiting; w != nil && w.Reason != "PodInitializing" && !t.saidAlready(cmp.Or(w.Message, w.Reason)) {
				t.say("Container %s does not run: %s", list[i].Name, asSentence(strings.Trim(w.Reason+": "+w.Message, ": ")))
				if word := kubeletWords[w.Reason]; word != "" {
					t.add("%s", word)
				}
			}
		}
	}
}

// taskEnded says how the current attempt of a Task has ended, and what follows.
func (t *telling) taskEnded(role string, task *v1.TaskStatus) {
	s := task.AttemptStatus.CompletionStatus
	if s == nil {
		return
	}
	t.sayCode("Its attempt", s.CompletionStatus)
	t.sayContainers(s)
	t.sayJudge(s.CompletionStatus)
	t.sayDeletion(role, task)
	t.sayTaskRetry("the Task", role, task)
	t.sayRestart(task)
	if StandingOf(task) == Failed {
		t.change(s.CompletionStatus, t.retriesOf(role)...)
	}
	t.adviseAfter(s.CompletionStatus, s.Pod)
}

// inTrouble reports whether a Task is one that people ask about.
func inTrouble(task *v1.TaskStatus) bool {
	switch StandingOf(task) {
	case Retrying, Failed:
		return true
	case Ending:
		return outcomeOf(task.AttemptStatus.CompletionStatus) == Failed
	}
	return false
}

// mostTroubled is of how many Tasks more is said than that they are there.
const mostTroubled = 3

// troubledTasks says why Tasks have failed, or wait to be tried again, while the Framework goes on.
func (t *telling) troubledTasks() {
	if t.status.AttemptStatus.CompletionStatus != nil {
		return
	}
	told, more := 0, 0
	for _, role := range t.status.AttemptStatus.TaskRoleStatuses {
		for i := range role.TaskStatuses {
			task := &role.TaskStatuses[i]
			switch {
			case !inTrouble(task):
			case told == mostTroubled:
				more++
			default:
				told++
				t.sayTrouble(role.Name, task)
			}
		}
	}
	if more > 0 {
		t.say("The same may be said of %d more Tasks.", more)
	}
}

func (t *telling) sayTrouble(role string, task *v1.TaskStatus) {
	s := task.AttemptStatus.CompletionStatus
	if s == nil {
		return
	}
	t.aboutPod(task.AttemptStatus.PodName)
	t.sayCode("Attempt "+fmt.Sprint(task.AttemptStatus.ID)+" of Task "+TaskName(role, task.Index), s.CompletionStatus)
	t.sayContainers(s)
	t.sayJudge(s.CompletionStatus)
	t.sayTaskRetry("Task "+TaskName(role, task.Index), role, task)
	t.advise(explainTask)
}

// sayTaskRetry says whether another attempt of a Task follows.
func (t *telling) sayTaskRetry(who, role string, task *v1.TaskStatus) {
	if r, ok := t.taskRetry(who, role, task); ok {
		t.sayRetry(r)
	}
}

// taskRetry is the attempt of a Task whose end is decided; ok is false if the retry policy has no say in what follows.
func (t *telling) taskRetry(who, role string, task *v1.TaskStatus) (r retry, ok bool) {
	spec, ended := t.roleSpec(role), task.AttemptStatus.CompletionStatus
	if spec == nil || ended == nil || task.DeletionPending {
		return retry{}, false
	}
	over := retryrules.EndingOf(&task.AttemptStatus, task.TransitionTime.Time)
	return retry{
		who: who, policy: spec.Task.RetryPolicy, role: t.roleStatus(role), roleSpec: spec, counters: task.RetryPolicyStatus,
		ended: ended.CompletionStatus, advice: ended.Advice, task: task, pauseSec: retryrules.PauseSec(task), over: over.Time, since: task.TransitionTime.Time,
		final:  task.State == v1.Completed || t.status.AttemptStatus.CompletionStatus != nil, // it ends with its Framework's attempt
		ending: StandingOf(task) == Ending, gone: "its Pod is gone",
	}, true
}

// timeOf is a time of the status; another one if it has none.
func timeOf(at *metav1.Time, otherwise time.Time) time.Time {
	if at == nil {
		return otherwise
	}
	return at.Time
}
