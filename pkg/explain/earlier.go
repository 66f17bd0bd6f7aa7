package explain

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// mostEarlier is how many earlier attempts are told, the latest ones.
const mostEarlier = 5

// earlierAttempts tells of those that the status has nothing of any more, by what the events say of them.
func (t *telling) earlierAttempts() {
	if t.status.RetryPolicyStatus.TotalRetriedCount == 0 {
		return
	}
	if told := t.sayEarlier(func(e *event) bool { return e.ofFramework(lifecycle.ReasonRetried) }, ""); told == 0 {
		t.say("Before this attempt there %s, of which no events are left.", attemptsNumber(t.status.RetryPolicyStatus.TotalRetriedCount))
	}
}

// earlierTaskAttempts does so for a Task, in the current attempt of the Framework. What events do not tell any more, its status
// does in short.
func (t *telling) earlierTaskAttempts(task string, status *v1.TaskStatus) {
	prefix := "Task " + task + ": "
	told := t.sayEarlier(func(e *event) bool {
		return e.ofFramework(lifecycle.ReasonTaskRetried) && strings.HasPrefix(e.Message, prefix) && !e.At.Before(t.status.AttemptStatus.StartTime.Time)
	}, prefix)
	if told > 0 {
		return
	}
	kept := status.EarlierAttempts
	for _, a := range kept[max(0, len(kept)-mostEarlier):] {
		t.say("Earlier: attempt %d ended %s ago with code %d, %s%s.", a.ID, t.ago(a.CompletionTime.Time), a.Code, a.Phrase, placeNamed(a.Node))
	}
}

func placeNamed(name string) string {
	if name == "" {
		return ""
	}
	return ", on node " + name
}

func (t *telling) sayEarlier(is func(*event) bool, prefix string) (number int) {
	var told []event
	for _, e := range t.inOrder() {
		if is(&e) {
			told = append(told, e)
		}
	}
	told = told[max(0, len(told)-mostEarlier):]
	for i := range told {
		what := strings.TrimPrefix(told[i].Message, prefix) // attempt 1 begins, after ...
		t.say("Earlier: %s", asSentence(strings.Replace(what, " begins, ", " began "+t.ago(told[i].At)+" ago, ", 1)))
	}
	return len(told)
}

func attemptsNumber(n int32) string {
	if n == 1 {
		return "was 1 attempt"
	}
	return fmt.Sprintf("were %d attempts", n)
}

// retriedTasks tells of Tasks that were tried again and go on: nothing else says that they have failed before.
func (t *telling) retriedTasks() {
	if t.status.AttemptStatus.CompletionStatus != nil {
		return
	}
	who, tasks, sum := "", 0, v1.RetryPolicyStatus{}
	for _, role := range t.status.AttemptStatus.TaskRoleStatuses {
		for i := range role.TaskStatuses {
			task := &role.TaskStatuses[i]
			if n := task.RetryPolicyStatus; n.TotalRetriedCount > 0 && !inTrouble(task) {
				who, tasks = TaskName(role.Name, task.Index), tasks+1
				sum.TotalRetriedCount += n.TotalRetriedCount
				sum.AccountableRetriedCount += n.AccountableRetriedCount
			}
		}
	}
	switch tasks {
	case 0:
		return
	case 1:
		t.say("Task %s has been tried again %s.", who, howOften(sum))
	default:
		t.say("%d Tasks have been tried again, in all %s.", tasks, howOften(sum))
	}
	t.lastRetry()
}

// lastRetry says after what a Task was tried again last, and why, as the event tells.
func (t *telling) lastRetry() {
	last := t.latest(func(e *event) bool { return e.ofFramework(lifecycle.ReasonTaskRetried) })
	if last == nil {
		return
	}
	t.say("The last time: %s", asSentence(strings.Replace(last.Message, " begins, ", " began "+t.ago(last.At)+" ago, ", 1)))
	if told := lastTry.FindStringSubmatch(last.Message); told != nil {
		t.whyRetried(told[2], told[3], told[4], told[5])
	}
	t.advise(followLogs, seeEvents)
}

// whyRetried says what the end of an attempt means, and what the retry policy has made of it if the code alone tells its type.
func (t *telling) whyRetried(role, index, phrase, code string) {
	number, codeErr := strconv.ParseInt(code, 10, 32)
	task, indexErr := strconv.ParseInt(index, 10, 32)
	if codeErr != nil || indexErr != nil {
		return
	}
	ended := v1.CompletionStatus{Code: int32(number), Phrase: phrase}
	known := completion.IsPredefined(ended, ended.Code)
	if known {
		ended = completion.Predefined(ended.Code, "") // which has the type, too
	}
	t.add("%s", CodeWord(ended).Means)
	t.about["task"] = TaskName(role, int32(task))
	status, spec := t.taskStatus(role, int32(task)), t.roleSpec(role)
	if !known || status == nil || spec == nil {
		return
	}
	r := retry{who: "Task " + t.about["task"], policy: spec.Task.RetryPolicy, counters: status.RetryPolicyStatus, ended: ended, over: t.Now}
	switch by := t.roleStatus(role); {
	case r.row().Retry:
		t.sayPastRetry(r)
	case spec.RetryPolicy != nil && by.RetriedCount > 0:
		t.say("The retry policy of role %s has started the whole role again: %s.", role, usedByRole(spec, by))
	}
}

// lastTry is how an event tells that a Task is tried again.
var lastTry = regexp.MustCompile(`^Task ((.+)-(\d+)): .*, after (.+), code (-?\d+)`)
