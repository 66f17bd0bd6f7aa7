package checker

import (
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// raisedMemory: memory that a Task got because it ran out of it is not forgotten while the Task is there, and is raised up to the maximum of its
// role only, or to as many times the first limit as a plugin may ask for. A status is written on the version that it was decided from, so
// the spec beside it is the one that it was decided by.
type raisedMemory struct{}

func (raisedMemory) see(t *replay, c change) {
	if t.past || c.framework == nil || c.framework.before == nil || c.framework.before.Status == nil || c.framework.after == nil || c.framework.after.Status == nil {
		return
	}
	for at, was := range c.framework.before.tasks {
		if is := c.framework.after.tasks[at]; is != nil && !was.DeletionPending {
			for _, m := range was.Memory {
				t.hold(RaisedMemory, c.subject(), bytesOf(limitOf(is, m.Container)) >= bytesOf(m.Limit), "Task %s had %+v, and now has %+v", at, was.Memory, is.Memory)
			}
		}
	}
	for at, is := range c.framework.after.tasks {
		role := c.framework.after.role(at.role)
		for _, m := range is.Memory {
			if was := c.framework.before.tasks[at]; was != nil && bytesOf(limitOf(was, m.Container)) >= bytesOf(m.Limit) {
				continue
			}
			most := v1.MaxAdvisedMemoryFactor * bytesOf(m.FirstLimit)
			if role != nil && role.Task.RetryPolicy.OnOOM != nil {
				most = bytesOf(role.Task.RetryPolicy.OnOOM.MaxMemory)
			}
			t.hold(RaisedMemory, c.subject(), bytesOf(m.Limit) <= most, "Task %s was raised to %+v", at, m)
		}
	}
}

// limitOf returns the limit that a container of the Task was raised to; empty if it was not.
func limitOf(t *v1.TaskStatus, container string) string {
	for _, m := range t.Memory {
		if m.Container == container {
			return m.Limit
		}
	}
	return ""
}

// bytesOf is 0 for text that is no quantity.
func bytesOf(text string) int64 {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return 0
	}
	return q.Value()
}
