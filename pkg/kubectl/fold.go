package kubectl

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
)

// taskRange is a row of adjacent Tasks that look alike, in the form of the first one.
type taskRange struct {
	first, last int32
	task        *v1.TaskStatus
}

// fold groups adjacent Tasks that look alike; if all is set, each Task is a group.
func fold(tasks []v1.TaskStatus, all bool) (ranges []taskRange) {
	for i := range tasks {
		t := &tasks[i]
		if n := len(ranges); n > 0 && !all && looksOf(ranges[n-1].task) == looksOf(t) {
			ranges[n-1].last = t.Index
			continue
		}
		ranges = append(ranges, taskRange{t.Index, t.Index, t})
	}
	return ranges
}

func (r taskRange) String() string {
	if r.first == r.last {
		return fmt.Sprint(r.first)
	}
	return fmt.Sprintf("%d-%d", r.first, r.last)
}

// looks are the properties that are shown for a group of Tasks.
type looks struct {
	standing explain.Standing
	attempt  int32
	retries  int32
	code     int32
	phrase   string
}

func looksOf(t *v1.TaskStatus) looks {
	l := looks{standing: explain.StandingOf(t), attempt: t.AttemptStatus.ID, retries: t.RetryPolicyStatus.AccountableRetriedCount}
	if s := t.AttemptStatus.CompletionStatus; s != nil {
		l.code, l.phrase = s.Code, s.Phrase
	}
	return l
}

func (l looks) String() string {
	text := string(l.standing)
	if l.attempt > 0 {
		text += fmt.Sprintf(", attempt %d (%d counted)", l.attempt, l.retries)
	}
	if l.phrase != "" && l.phrase != string(l.standing) {
		text += fmt.Sprintf(", code %d %s", l.code, l.phrase)
	}
	return text
}
