package checker

import (
	"encoding/json"
	"reflect"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// forward holds P2, "monotonic exposure": attempt ids never go back; within an attempt, states follow their order, UIDs change from null to
// a value once, and a completionStatus does not change. Times that are set do not change.
type forward struct{}

func (forward) see(t *replay, c change) {
	if c.framework == nil || c.framework.before == nil || c.framework.after == nil || c.framework.before.Status == nil {
		return
	}
	before, after := c.framework.before, c.framework.after
	if after.Status == nil {
		t.hold(Forward, c.subject(), false, "its status has gone")
		return
	}
	what := c.subject()
	a, b := before.Status, after.Status
	t.hold(Forward, what, b.AttemptStatus.ID >= a.AttemptStatus.ID, "attempt %d after %d", b.AttemptStatus.ID, a.AttemptStatus.ID)
	t.hold(Forward, what, a.State != v1.Completed || b.State == v1.Completed, "%s after Completed", b.State)
	t.hold(Forward, what, a.StartTime.Equal(&b.StartTime), "startTime %s after %s", b.StartTime, a.StartTime)
	t.once(what, "runTime", a.RunTime, b.RunTime)
	if a.AttemptStatus.ID != b.AttemptStatus.ID {
		return
	}
	t.hold(Forward, what, rank(b.State) >= rank(a.State), "%s after %s in the same attempt", b.State, a.State)
	t.once(what, "configMapUID", a.AttemptStatus.ConfigMapUID, b.AttemptStatus.ConfigMapUID)
	t.once(what, "instanceUID", a.AttemptStatus.InstanceUID, b.AttemptStatus.InstanceUID)
	t.once(what, "completionStatus", a.AttemptStatus.CompletionStatus, b.AttemptStatus.CompletionStatus)
	cut := len(b.AttemptStatus.TaskRoleStatusesCompressed) > 0
	for p, task := range after.tasks {
		if old := before.tasks[p]; old != nil && old.InstanceUID == task.InstanceUID {
			t.taskForward(c.task(p), old, task, cut)
		}
	}
}

// taskForward compares two versions of one instance. If messages may be cut, outcomes are compared without them.
func (t *replay) taskForward(what subject, a, b *v1.TaskStatus, cut bool) {
	t.hold(Forward, what, b.AttemptStatus.ID >= a.AttemptStatus.ID, "attempt %d after %d", b.AttemptStatus.ID, a.AttemptStatus.ID)
	t.hold(Forward, what, a.State != v1.Completed || b.State == v1.Completed, "%s after Completed", b.State)
	t.hold(Forward, what, a.StartTime.Equal(&b.StartTime), "startTime %s after %s", b.StartTime, a.StartTime)
	t.once(what, "runTime", a.RunTime, b.RunTime)
	if a.AttemptStatus.ID != b.AttemptStatus.ID {
		return
	}
	t.hold(Forward, what, rank(b.State) >= rank(a.State), "%s after %s in the same attempt", b.State, a.State)
	t.once(what, "podUID", a.AttemptStatus.PodUID, b.AttemptStatus.PodUID)
	t.once(what, "instanceUID", a.AttemptStatus.InstanceUID, b.AttemptStatus.InstanceUID)
	if cut {
		t.once(what, "completionStatus", briefly(a.AttemptStatus.CompletionStatus), briefly(b.AttemptStatus.CompletionStatus))
	} else {
		t.once(what, "completionStatus", a.AttemptStatus.CompletionStatus, b.AttemptStatus.CompletionStatus)
	}
}

// once: a value that is set does not change. The values are pointers of one type.
func (t *replay) once(what subject, field string, a, b any) {
	if reflect.ValueOf(a).IsNil() {
		return
	}
	t.hold(Forward, what, asText(a) == asText(b), "%s is %s after %s", field, asText(b), asText(a))
}

func asText(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// briefly drops the parts that may be cut.
func briefly(s *v1.TaskAttemptCompletionStatus) *v1.CompletionStatus {
	if s == nil {
		return nil
	}
	return &v1.CompletionStatus{Code: s.Code, Phrase: s.Phrase, Type: s.Type}
}
