package reason

import (
	"fmt"
	"slices"
	"strings"
)

// Deletion is the cause of deleting one object, with its arguments. Deletions are comparable.
type Deletion struct {
	Cause Cause
	// Ended: an attempt has ended with Code, of the Task or, if that was cut short, of the Framework.
	Ended bool
	Code  int32
	// Row of the retry table for that attempt, as of the deletion; empty if the table did not decide.
	Row string
}

// String lists the facts in a stable form, as in "TaskRetry code=-101 row=R2".
func (d Deletion) String() string {
	text := d.Cause.String()
	if d.Ended {
		text += fmt.Sprintf(" code=%d", d.Code)
	}
	if d.Row != "" {
		text += " row=" + d.Row
	}
	return text
}

// Deleted are objects of one Framework that were deleted for the same reason.
type Deleted struct {
	Kind Kind
	Why  Deletion
	// Number of objects, and the names of the first ten.
	Number int
	Names  []string
	// Tasks of the Pods that are named, as users write them.
	Tasks []string
	// Attempt of the Task; negative if it is not known, or if there are several Pods.
	Attempt int32
}

// mostNamed is the maximum number of objects named in one event.
const mostNamed = 10

// Add enters one more object; for a Pod, with its Task and the Task's attempt, which is negative if it is unknown.
func (d *Deleted) Add(name, task string, attempt int32) {
	if d.Number++; d.Number > 1 {
		attempt = -1
	}
	if d.Attempt = attempt; len(d.Names) == mostNamed {
		return
	}
	if d.Names = append(d.Names, name); task != "" {
		d.Tasks = append(d.Tasks, task)
	}
}

// Sentence reports the deletion to users: objects, facts, and their meaning. It is stable.
func (d Deleted) Sentence() string {
	names := slices.Sorted(slices.Values(d.Names))
	var who string
	switch more := d.Number - len(names); {
	case d.Number == 1:
		who = fmt.Sprintf("%s %s was deleted", d.Kind, strings.Join(names, ""))
	case more == 0:
		who = fmt.Sprintf("%d %ss were deleted (%s)", d.Number, d.Kind, strings.Join(names, ", "))
	default:
		who = fmt.Sprintf("%d %ss were deleted (%s and %d more)", d.Number, d.Kind, strings.Join(names, ", "), more)
	}
	return fmt.Sprintf("%s, %s. %s", who, d.Why.Facts(), d.Why.Cause.Row().Means)
}

// Facts names the cause, the code and the row for people, as in "cause TaskRetry, code -101, retry row R2".
func (d Deletion) Facts() string {
	text := "cause " + d.Cause.String()
	if d.Ended {
		text += fmt.Sprintf(", code %d", d.Code)
	}
	if d.Row != "" {
		text += ", retry row " + d.Row
	}
	return text
}

// EventFacts returns the facts of the event that reports the deletion.
func (d Deleted) EventFacts() Facts {
	f := Facts{Tasks: d.Tasks, Row: d.Why.Row, Cause: d.Why.Cause}
	if d.Why.Ended {
		f.Code = &d.Why.Code
	}
	if d.Attempt >= 0 && len(d.Tasks) > 0 {
		f.Attempt = &d.Attempt
	}
	return f
}
