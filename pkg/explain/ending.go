package explain

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/taskcount"
)

// attemptEnded says how the current attempt of the Framework has ended, by which Task, and what follows.
func (t *telling) attemptEnded() {
	s := t.status.AttemptStatus.CompletionStatus
	if s == nil {
		return
	}
	task := t.trigger(s.Trigger)
	if t.Framework.DeletionTimestamp != nil && completion.IsPredefined(s.CompletionStatus, completion.CodeConfigMapExternalDeleted) {
		return // it is the deletion of the Framework that has ended it
	}
	t.sayCode("The attempt", s.CompletionStatus)
	t.sayTrigger(s, task != nil && inherited(s, task))
	if task != nil && inherited(s, task) {
		t.sayContainers(task.AttemptStatus.CompletionStatus)
		t.sayJudge(task.AttemptStatus.CompletionStatus.CompletionStatus)
		t.sayTaskRetry("Task "+TaskName(s.Trigger.TaskRoleName, task.Index), s.Trigger.TaskRoleName, task)
	}
	t.sayDecider(s)
	t.sayRetry(t.wholeRetry())
	t.changeOf(s, task)
	var pod *v1.PodCompletionStatus
	if task != nil && inherited(s, task) {
		pod = task.AttemptStatus.CompletionStatus.Pod
	}
	t.adviseAfter(s.CompletionStatus, pod)
	if s.Trigger != nil {
		t.advise(explainTask)
	}
}

// wholeRetry is the attempt of the Framework, whose end is decided.
func (t *telling) wholeRetry() retry {
	since := t.status.TransitionTime.Time
	var trigger *v1.TaskStatus
	if by := t.status.AttemptStatus.CompletionStatus.Trigger; by != nil {
		trigger = t.taskStatus(by.TaskRoleName, by.TaskIndex)
	}
	return retry{
		who: "the Framework", policy: t.Framework.Spec.RetryPolicy, counters: t.status.RetryPolicyStatus,
		pauseSec: retryrules.FrameworkPauseSec(t.status, trigger),
		ended:    t.status.AttemptStatus.CompletionStatus.CompletionStatus, over: since, since: since, final: t.status.State == v1.Completed,
		ending: t.status.State != v1.AttemptCompleted && t.status.State != v1.Completed, gone: "its Pods are gone",
	}
}

// inherited reports whether an attempt of the Framework has ended as that Task did.
func inherited(s *v1.FrameworkAttemptCompletionStatus, task *v1.TaskStatus) bool {
	own := task.AttemptStatus.CompletionStatus
	return own != nil && own.Code == s.Code && own.Phrase == s.Phrase
}

// trigger returns the Task that has decided the attempt; nil if none has, or it is gone.
func (t *telling) trigger(by *v1.CompletionTrigger) *v1.TaskStatus {
	if by == nil {
		return nil
	}
	t.aboutPod(v1.PodName(t.Framework.Name, by.TaskRoleName, by.TaskIndex))
	return t.taskStatus(by.TaskRoleName, by.TaskIndex)
}

func (t *telling) taskStatus(role string, index int32) *v1.TaskStatus {
	if r := t.roleStatus(role); r != nil && 0 <= index && int(index) < len(r.TaskStatuses) {
		return &r.TaskStatuses[index]
	}
	return nil
}

// sayCode says with which code something has ended, and what the code means.
func (t *telling) sayCode(who string, s v1.CompletionStatus) {
	word := CodeWord(s)
	if s.Type.Name == v1.CompletionSucceeded && s.Code == completion.CodeSucceeded {
		t.say("%s succeeded.", who)
		return
	}
	how := "failed"
	e, predefined := completion.EntryOf(s)
	switch {
	case s.Type.Name == v1.CompletionSucceeded:
		how = "succeeded"
	case predefined && e.EndedByOthers:
		how = "was ended"
	}
	t.say("%s %s with code %d, %s. %s", who, how, s.Code, s.Phrase, word.Means)
	if said := completion.Words(s.Diagnostics); said != "" && e.Detailed {
		t.add("In detail: %s", asSentence(said))
	}
}

// sayTrigger says which Task has decided the attempt, and by which number of the spec. What was left of retries is added unless
// that is told at length.
func (t *telling) sayTrigger(s *v1.FrameworkAttemptCompletionStatus, tellsRetries bool) {
	by := s.Trigger
	if by == nil || by.TaskRoleName == "" {
		return
	}
	task, rule := TaskName(by.TaskRoleName, by.TaskIndex), ruleOf(s)
	policy, counts := t.policy(by.TaskRoleName), t.countsOf(by.TaskRoleName)
	switch {
	case rule == taskcount.MinFailed && reached(counts[Failed], policy.MinFailedTaskCount):
		t.say("Task %s ended the attempt, which fails when %s failed for good (minFailedTaskCount %d).",
			task, several(policy.MinFailedTaskCount, " of role "+by.TaskRoleName), policy.MinFailedTaskCount)
	case rule == taskcount.MinSucceeded && reached(counts[Succeeded], policy.MinSucceededTaskCount):
		t.say("Task %s ended the attempt, which succeeds when %s succeeded (minSucceededTaskCount %d).",
			task, several(policy.MinSucceededTaskCount, " of role "+by.TaskRoleName), policy.MinSucceededTaskCount)
	case rule == taskcount.AllCompleted:
		t.say("Task %s was the last to complete, and no minFailedTaskCount was reached, which makes the attempt a success%s.", task, t.despite())
	case by.Message == "":
		t.say("Task %s ended the attempt.", task)
	default:
		t.say("Task %s ended the attempt: %s", task, asSentence(by.Message))
	}
	if left := retryrules.Sentence(s.Retries); left != "" && !tellsRetries {
		t.add("%s.", left)
	}
}

// ruleOf returns by which number of Tasks an attempt has ended; empty if by none, or if an older controller has not noted it.
func ruleOf(s *v1.FrameworkAttemptCompletionStatus) taskcount.Rule {
	rule := taskcount.Rule(s.Trigger.Rule)
	if rule == "" && s.Source != nil {
		rule = taskcount.Rule(s.Source.Rule)
	}
	switch rule {
	case taskcount.MinFailed, taskcount.MinSucceeded, taskcount.AllCompleted:
		return rule
	}
	return ""
}

// several is so many Tasks, of a role perhaps, and the verb that goes with them.
func several(tasks int32, of string) string {
	if tasks == 1 {
		return "1 Task" + of + " has"
	}
	return fmt.Sprintf("%d Tasks%s have", tasks, of)
}

// despite says that Tasks have failed although the attempt has not.
func (t *telling) despite() string {
	if n := t.counts()[Failed]; n > 0 {
		return fmt.Sprintf(", although %s failed", several(int32(n), ""))
	}
	return ""
}

// reached reports whether a threshold may have ended the attempt. Otherwise it was another one then.
func reached(tasks int, threshold int32) bool { return threshold >= 1 && tasks >= int(threshold) }

// policy is the completion policy of a role; without thresholds if the spec no longer has the role.
func (t *telling) policy(role string) v1.CompletionPolicySpec {
	if spec := t.roleSpec(role); spec != nil {
		return spec.FrameworkAttemptCompletionPolicy
	}
	return v1.CompletionPolicySpec{}
}

// countsOf is how the Tasks of a role stand.
func (t *telling) countsOf(role string) map[Standing]int {
	if r := t.roleStatus(role); r != nil {
		return countsOf(r.TaskStatuses)
	}
	return nil
}

// sayContainers says how the containers of a Pod have ended that did not end well. Their reasons need no words where the code has
// told what they mean.
func (t *telling) sayContainers(s *v1.TaskAttemptCompletionStatus) {
	if s == nil || s.Pod == nil {
		return
	}
	if s.Pod.Reason != "" || s.Pod.Message != "" {
		t.say("The node says of the Pod: %s", asSentence(strings.Trim(s.Pod.Reason+": "+s.Pod.Message, ": ")))
	}
	for i := range s.Pod.Containers {
		c := &s.Pod.Containers[i]
		if c.Code == 0 && c.Signal == 0 {
			continue
		}
		t.sayContainer(c)
		if word := containerWords[c.Reason]; word != "" && ruleWords[s.Phrase].Means == "" {
			t.add("%s", word)
		}
	}
}

func (t *telling) sayContainer(c *v1.ContainerCompletionStatus) {
	text := fmt.Sprintf("Container %s ended with exit code %d%s", c.Name, c.Code, exitWord(c.Code, c.Signal))
	if c.Reason != "" && c.Reason != "Error" {
		text += ", for the reason " + c.Reason
	}
	if c.Message != "" {
		text += fmt.Sprintf(", and its last words were %q", shortened(c.Message))
	}
	t.say("%s.", text)
}

// longestWords is how much of a container's last words is told. The end of them is what matters.
const longestWords = 400

func shortened(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= longestWords {
		return text
	}
	return "..." + strings.ToValidUTF8(text[len(text)-longestWords:], "")
}

// sayJudge says who has judged the failure, if it was not the controller itself.
func (t *telling) sayJudge(s v1.CompletionStatus) {
	by := s.Source
	switch {
	case by == nil || s.Type.Name == v1.CompletionSucceeded && s.Code == 0:
	case by.Plugin == v1.SourceKubernetes:
		t.sayIf(disruptionWords[by.Rule])
	default:
		t.say("Plugin %s gave the failure that code%s.", versioned(by.Plugin, by.Version), byRule(by.Rule))
	}
}

// sayDecider says which plugin decided that the attempt of the Framework ends. Of a success by the numbers of the spec it is of no
// interest.
func (t *telling) sayDecider(s *v1.FrameworkAttemptCompletionStatus) {
	if by := s.Source; by != nil && (s.Type.Name == v1.CompletionFailed || s.Trigger != nil && ruleOf(s) == "") {
		t.say("Plugin %s decided that the attempt ends%s.", versioned(by.Plugin, by.Version), byRule(by.Rule))
	}
}

func versioned(plugin, version string) string {
	if version == "" {
		return plugin
	}
	return plugin + ", version " + version + ","
}

func byRule(rule string) string {
	if rule == "" {
		return ""
	}
	return ", by its rule " + rule
}

// adviseAfter adds the commands of a code. What a Pod has printed is gone with the Pod.
func (t *telling) adviseAfter(ended v1.CompletionStatus, pod *v1.PodCompletionStatus) {
	for _, step := range CodeWord(ended).Next {
		if step == seeLogs && t.pod(t.about["pod"]) == nil {
			t.sayLogsAreGone(pod)
			if t.status.State != v1.Completed {
				t.advise(followLogs)
			}
			continue
		}
		t.advise(step)
	}
}

func (t *telling) sayLogsAreGone(pod *v1.PodCompletionStatus) {
	t.say("Its Pod is gone, and what it has printed with it, unless the logs of the cluster are collected.")
	if pod != nil && !hasLastWords(pod) {
		t.add("With terminationMessagePolicy: FallbackToLogsOnError, its last lines would be told here.")
	}
}

func hasLastWords(pod *v1.PodCompletionStatus) bool {
	return slices.ContainsFunc(pod.Containers, func(c v1.ContainerCompletionStatus) bool { return c.Message != "" })
}
