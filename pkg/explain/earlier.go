package explain

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
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

// earlierTaskAttempts does so for a Task.
func (t *telling) earlierTaskAttempts(task string) {
	prefix := "Task " + task + ": "
	t.sayEarlier(func(e *event) bool {
		return e.ofFramework(lifecycle.ReasonTaskRetried) && strings.HasPrefix(e.Message, prefix)
	}, prefix)
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
	var tasks, total, counted int32
	for _, task := range t.all() {
		if n := task.RetryPolicyStatus.TotalRetriedCount; n > 0 && !inTrouble(&task) {
			tasks, total, counted = tasks+1, total+n, counted+task.RetryPolicyStatus.AccountableRetriedCount
		}
	}
	if tasks == 0 || t.status.AttemptStatus.CompletionStatus != nil {
		return
	}
	t.say("%s been tried again, %s in all, of which %s counted against maxRetryCount.", hasTasks(tasks), times(total), ofThem(counted, total))
	last := t.latest(func(e *event) bool { return e.ofFramework(lifecycle.ReasonTaskRetried) })
	if last == nil {
		return
	}
	t.say("The last time: %s", asSentence(strings.Replace(last.Message, " begins, ", " began "+t.ago(last.At)+" ago, ", 1)))
	if ended, ok := endIn(last.Message); ok {
		t.add("%s", CodeWord(ended).Means)
	}
	t.advise(seeEvents)
}

func hasTasks(n int32) string {
	if n == 1 {
		return "1 Task has"
	}
	return fmt.Sprintf("%d Tasks have", n)
}

func times(n int32) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// endOfAttempt is how an event names the end of an attempt.
var endOfAttempt = regexp.MustCompile(`, after (.+), code (-?\d+)`)

func endIn(message string) (ended v1.CompletionStatus, ok bool) {
	found := endOfAttempt.FindStringSubmatch(message)
	if found == nil {
		return ended, false
	}
	code, err := strconv.ParseInt(found[2], 10, 32)
	ended.Code, ended.Phrase = int32(code), found[1]
	return ended, err == nil
}
