package lifecycle_test

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawArchived: an attempt is archived before it is dropped, and only after it is stored as completed. A stop does not wait.
func (c *checker) lawArchived(in lifecycle.Input, out lifecycle.Output) {
	for _, action := range out.Actions {
		c.lawAsksToArchive(in, action)
	}
	if !in.Asking.Archive {
		return
	}
	for _, move := range out.Moves {
		switch move.Row {
		case lifecycle.RowTaskRetried, lifecycle.RowTaskRemoved:
			if dropped := in.Saved.Task(*move.Task); in.Observed.Archived.Tasks[*move.Task] != archivedTask(dropped) {
				c.violationf("archived before it is dropped", "%s: %s", move.Task, text(dropped))
			}
		case lifecycle.RowFrameworkRetried:
			if in.Framework.Spec.ExecutionType != v1.ExecutionStop && !attemptIsArchived(in) {
				c.violationf("archived before it is dropped", "%s", text(in.Saved.Framework()))
			}
		}
	}
}

func (c *checker) lawAsksToArchive(in lifecycle.Input, action lifecycle.Action) {
	justified := true
	switch a := action.(type) {
	case lifecycle.ArchiveTask:
		t := in.Saved.Task(a.Task)
		justified = in.Asking.Archive && t != nil && ended(t.State) && archivedTask(t) == lifecycle.ArchivedTask{UID: a.TaskUID, AttemptID: a.AttemptID}
	case lifecycle.ArchiveAttempt:
		s := in.Saved.Framework()
		justified = in.Asking.Archive && ended(s.State) && s.AttemptStatus.ID == a.AttemptID && a.Final == (s.State == v1.Completed)
	case lifecycle.DeleteFramework:
		justified = !in.Asking.Archive || attemptIsArchived(in)
	}
	if !justified {
		c.violationf("an ended attempt is archived, and deleted afterwards", "%s: %s", action, text(in.Saved.Status()))
	}
}

func archivedTask(t *v1.TaskStatus) lifecycle.ArchivedTask {
	return lifecycle.ArchivedTask{UID: t.InstanceUID, AttemptID: t.AttemptStatus.ID}
}

func attemptIsArchived(in lifecycle.Input) bool {
	archived := in.Observed.Archived.Attempt
	return archived != nil && *archived == in.Saved.Framework().AttemptStatus.ID
}
