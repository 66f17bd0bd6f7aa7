package reason

import (
	"slices"
	"strconv"
	"strings"
)

// Keys of the annotations of events, which have the facts of an event for programs.
const (
	KeyTask    = "frameworkcontroller.microsoft.com/task"
	KeyAttempt = "frameworkcontroller.microsoft.com/attempt"
	KeyCode    = "frameworkcontroller.microsoft.com/code"
	KeyRow     = "frameworkcontroller.microsoft.com/row"
	KeyCause   = "frameworkcontroller.microsoft.com/cause"
)

// Annotations returns the facts as annotations of the event. What is not known is left out.
func (d Deleted) Annotations() map[string]string {
	facts := map[string]string{KeyCause: d.Why.Cause.String()}
	if d.Why.Ended {
		facts[KeyCode] = strconv.Itoa(int(d.Why.Code))
	}
	if d.Why.Row != "" {
		facts[KeyRow] = d.Why.Row
	}
	if len(d.Tasks) > 0 {
		facts[KeyTask] = strings.Join(slices.Sorted(slices.Values(d.Tasks)), ",")
	}
	if d.Attempt >= 0 && len(d.Tasks) > 0 {
		facts[KeyAttempt] = strconv.Itoa(int(d.Attempt))
	}
	return facts
}

// DeletedOf reads the facts of an event about deleted Pods back: cause, code, row, Tasks and attempt. The cause is zero if the
// annotations have none, or one that this version does not know.
func DeletedOf(annotations map[string]string) Deleted {
	d := Deleted{Kind: Pod, Attempt: -1, Why: Deletion{Cause: CauseOf(annotations[KeyCause]), Row: annotations[KeyRow]}}
	if code, err := strconv.ParseInt(annotations[KeyCode], 10, 32); err == nil {
		d.Why.Ended, d.Why.Code = true, int32(code)
	}
	if attempt, err := strconv.ParseInt(annotations[KeyAttempt], 10, 32); err == nil {
		d.Attempt = int32(attempt)
	}
	if tasks := annotations[KeyTask]; tasks != "" {
		d.Tasks = strings.Split(tasks, ",")
	}
	return d
}
