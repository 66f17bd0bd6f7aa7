package explain

import (
	"fmt"
	"strings"

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
