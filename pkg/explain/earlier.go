package explain

import (
	"cmp"
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// mostEarlier is how many earlier attempts are told, the latest ones.
const mostEarlier = 5

// earlierAttempts tells of those that the status has nothing of any more, by the facts of the events about them. An older
// controller has not noted any, and its words are told as they are.
func (t *telling) earlierAttempts() {
	if t.status.RetryPolicyStatus.TotalRetriedCount == 0 {
		return
	}
	if told := t.sayEarlier(func(e *event) bool { return e.ofFramework(lifecycle.ReasonRetried) }); told == 0 {
		t.say("Before this attempt there %s, of which no events are left.", attemptsNumber(t.status.RetryPolicyStatus.TotalRetriedCount))
	}
}

// earlierTaskAttempts does so for a Task, in the current attempt of the Framework. What events do not tell, its status does in
// short.
func (t *telling) earlierTaskAttempts(task string, status *v1.TaskStatus) {
	told := t.sayEarlier(func(e *event) bool {
		return e.ofFramework(lifecycle.ReasonTaskRetried) && reason.FactsOf(e.Annotations).Task() == task && !e.At.Before(t.status.AttemptStatus.StartTime.Time)
	})
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

func (t *telling) sayEarlier(is func(*event) bool) (number int) {
	var told []event
	for _, e := range t.inOrder() {
		if is(&e) {
			told = append(told, e)
		}
	}
	told = told[max(0, len(told)-mostEarlier):]
	for i := range told {
		if began := t.began(&told[i]); began != "" {
			t.say("Earlier: %s.", began)
			continue
		}
		t.say("Earlier, %s ago: %s", t.ago(told[i].At), asSentence(told[i].Message))
	}
	return len(told)
}

// began says when an attempt began, and how the one before it ended; empty if the event has no such facts.
func (t *telling) began(e *event) string {
	f := reason.FactsOf(e.Annotations)
	if f.Attempt == nil || f.Code == nil {
		return ""
	}
	text := fmt.Sprintf("attempt %d began %s ago, after %s, code %d", *f.Attempt+1, t.ago(e.At), cmp.Or(f.Phrase, "a failure"), *f.Code)
	if f.Node != "" {
		text += " on " + f.Node
	}
	return text
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

// lastRetry says after what a Task was tried again last, and why, by the facts of the event.
func (t *telling) lastRetry() {
	last := t.latest(func(e *event) bool { return e.ofFramework(lifecycle.ReasonTaskRetried) })
	if last == nil {
		return
	}
	f := reason.FactsOf(last.Annotations)
	if began := t.began(last); began != "" && f.Task() != "" {
		t.say("The last time: Task %s: %s.", f.Task(), began)
		t.whyRetried(f)
	} else {
		t.say("The last time, %s ago: %s", t.ago(last.At), asSentence(last.Message))
	}
	t.advise(followLogs, seeEvents)
}

// whyRetried says what the end of an attempt means, and what the retry policy has made of it if the code alone tells its type.
func (t *telling) whyRetried(f reason.Facts) {
	ended := v1.CompletionStatus{Code: *f.Code, Phrase: f.Phrase}
	known := completion.IsPredefined(ended, ended.Code)
	if known {
		ended = completion.Predefined(ended.Code, "") // which has the type, too
	}
	t.add("%s", CodeWord(ended).Means)
	t.about["task"] = f.Task()
	role, status := t.taskNamed(f.Task())
	if !known || status == nil {
		return
	}
	spec := t.roleSpec(role)
	if spec == nil {
		return
	}
	r := retry{who: "Task " + f.Task(), policy: spec.Task.RetryPolicy, counters: status.RetryPolicyStatus, ended: ended, over: t.Now}
	switch by := t.roleStatus(role); {
	case r.row().Retry:
		t.sayPastRetry(r)
	case spec.RetryPolicy != nil && by.RetriedCount > 0:
		t.say("The retry policy of role %s has started the whole role again: %s.", role, usedByRole(spec, by))
	}
}

// taskNamed returns a Task by its name, and the name of its role; nil if there is none.
func (t *telling) taskNamed(name string) (role string, task *v1.TaskStatus) {
	for i := range t.status.AttemptStatus.TaskRoleStatuses {
		r := &t.status.AttemptStatus.TaskRoleStatuses[i]
		for j := range r.TaskStatuses {
			if TaskName(r.Name, r.TaskStatuses[j].Index) == name {
				return r.Name, &r.TaskStatuses[j]
			}
		}
	}
	return "", nil
}
