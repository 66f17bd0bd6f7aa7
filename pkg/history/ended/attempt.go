package ended

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Attempt is an attempt of a Framework that has ended.
type Attempt struct {
	Of historyapi.Framework
	historyapi.FrameworkAttempt
	// Earlier attempts of the Framework, the first one first.
	Earlier []historyapi.FrameworkAttempt
	// TaskAttempts are the attempts of its Tasks, in the order of Sort.
	TaskAttempts []historyapi.TaskAttempt
}

// Choose returns an attempt of a Framework without the attempts of its Tasks; the newest one if number is negative.
func Choose(d *historyapi.FrameworkDetail, number int32) (*Attempt, error) {
	if len(d.Attempts) == 0 {
		return nil, fmt.Errorf("no attempt of Framework %s has ended, as far as the history knows", d.Framework.Name)
	}
	at := 0
	if number >= 0 {
		at = slices.IndexFunc(d.Attempts, func(a historyapi.FrameworkAttempt) bool { return a.ID == number })
	}
	if at < 0 {
		return nil, fmt.Errorf("the history has no attempt %d of Framework %s: the newest one that has ended is %d", number, d.Framework.Name, d.Attempts[0].ID)
	}
	a := &Attempt{Of: d.Framework, FrameworkAttempt: d.Attempts[at], Earlier: slices.Clone(d.Attempts[at+1:])}
	slices.Reverse(a.Earlier)
	return a, nil
}

// Sort orders attempts of Tasks by roles, indices and ends.
func Sort(all []historyapi.TaskAttempt) {
	slices.SortStableFunc(all, func(a, b historyapi.TaskAttempt) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Index, b.Index), a.Ended.Compare(b.Ended))
	})
}

// Facts returns the input of an explanation at a time, without the first failure. Deleted: the Framework is known to be gone.
func (a *Attempt) Facts(deleted bool, now time.Time) explain.Past {
	p := explain.Past{Framework: a.Framework(), Gone: deleted, Retry: pastRetry(a.Retry), Tasks: map[string]explain.PastTask{}, Now: now}
	for i := range a.TaskAttempts {
		t := &a.TaskAttempts[i]
		p.Tasks[explain.TaskName(t.Role, t.Index)] = pastTask(t) // the last one is the latest
	}
	for i := range a.Earlier {
		next := a.Began
		if i+1 < len(a.Earlier) {
			next = a.Earlier[i+1].Began
		}
		p.Earlier = append(p.Earlier, explain.PastAttempt{ID: a.Earlier[i].ID, End: CompletionStatus(&a.Earlier[i].Completion), Next: next})
	}
	return p
}

func pastTask(t *historyapi.TaskAttempt) explain.PastTask {
	return explain.PastTask{Retry: pastRetry(t.Retry), Deletion: reason.CauseOf(t.DeletionCause)}
}

func pastRetry(r historyapi.Retry) explain.PastRetry {
	return explain.PastRetry{Follows: r.Follows, Row: retry.RowID(r.Row)}
}

// FirstFailure converts the first failure for an explanation; nil if there was none.
func FirstFailure(f *historyapi.FirstFailure) *explain.PastFailure {
	if f == nil || f.Task == nil {
		return nil
	}
	task := taskStatus(f.Task)
	return &explain.PastFailure{Role: f.Task.Role, Task: &task, PastTask: pastTask(f.Task), Ended: *StopOf(f.Task),
		Disrupted: f.Why == historyapi.DisruptedFirst, Later: int(f.Consequences)}
}

// StopOf is when the containers of a Pod ended, or else the attempt of the Task.
func StopOf(t *historyapi.TaskAttempt) *time.Time {
	if t.ContainersEnded != nil {
		return t.ContainersEnded
	}
	return &t.Ended
}
