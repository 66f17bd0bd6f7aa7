package checker

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// activeDeadline: an attempt that ends by its deadline has run for that long, by the times of its own status; and the running time of a
// Framework never shrinks. A status is written on the version that it was decided from, so the spec beside it is the one that it was
// decided by.
type activeDeadline struct{}

func (activeDeadline) see(t *replay, c change) {
	if c.framework == nil || c.framework.before == nil || c.framework.before.Status == nil || c.framework.after == nil || c.framework.after.Status == nil {
		return
	}
	before, after := c.framework.before, c.framework.after
	was, is := before.Status.ActiveTime, after.Status.ActiveTime
	if was != nil {
		t.hold(ActiveDeadline, c.subject(), is != nil && is.Seconds >= was.Seconds, "it had run for %d s, and now for %+v", was.Seconds, is)
	}
	if s := after.attempt().CompletionStatus; before.attempt().CompletionStatus == nil && s != nil && s.Code == -140 && s.Phrase == "DeadlineExceeded" {
		limit := after.Spec.ActiveDeadlineSeconds
		t.hold(ActiveDeadline, c.subject(), limit != nil && is != nil && is.Seconds >= *limit, "it ended by its deadline after %+v", is)
	}
	for at, task := range after.tasks {
		if t.past || before.tasks[at] == nil || before.tasks[at].AttemptStatus.CompletionStatus != nil {
			continue
		}
		if s := task.AttemptStatus.CompletionStatus; s != nil && s.Code == -141 && s.Phrase == "TaskDeadlineExceeded" {
			t.hold(ActiveDeadline, c.subject(), ranFor(after.role(at.role), task), "Task %s ended by its deadline, since it ran at %s", at, task.AttemptStatus.RunTime)
		}
	}
}

// ranFor reports whether a Task had run for the time that its role sets when it was decided.
func ranFor(role *v1.TaskRoleSpec, task *v1.TaskStatus) bool {
	ran := task.AttemptStatus.RunTime
	if role == nil || role.Task.ActiveDeadlineSeconds == nil || ran == nil {
		return false
	}
	return !task.TransitionTime.Time.Before(ran.Add(time.Duration(*role.Task.ActiveDeadlineSeconds) * time.Second))
}
