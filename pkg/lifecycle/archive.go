package lifecycle

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// An attempt is dropped from the status when another one follows it, and so is a Task removed by a scale-down, and a Framework after
// its retention time. With Asking.Archive, all of these wait until a sink holds the stored facts. The caller decides for how long,
// and always answers. A stop does not wait.

// Archived are the attempts that sinks hold, or that nothing waits for. Attempts of the past may be listed, too.
type Archived struct {
	// Attempt of the Framework, with the attempts of all its Tasks; nil if it is not archived.
	Attempt *int32
	// Tasks are attempts that were archived before their Framework's.
	Tasks map[TaskRef]ArchivedTask
}

// ArchivedTask is an attempt of a Task.
type ArchivedTask struct {
	UID       string
	AttemptID int32
}

// archive reports whether the Task's attempt, which is stored as completed, is archived, and asks for that otherwise.
func (t task) archive() bool {
	if t.archived() {
		return true
	}
	t.r.do(ArchiveTask{Task: t.ref(), TaskUID: t.status().InstanceUID, AttemptID: t.status().AttemptStatus.ID})
	return false
}

// archived reports whether the status may drop the Task's attempt.
func (t task) archived() bool {
	s := t.status()
	return !t.r.in.Asking.Archive || t.r.in.Observed.Archived.Tasks[t.ref()] == ArchivedTask{s.InstanceUID, s.AttemptStatus.ID}
}

// archiveAttempt is archive for the attempt of the Framework.
func (r *round) archiveAttempt() bool {
	id, archived := r.status.AttemptStatus.ID, r.in.Observed.Archived.Attempt
	if !r.in.Asking.Archive || archived != nil && *archived == id {
		return true
	}
	r.do(ArchiveAttempt{AttemptID: id, Final: r.status.State == v1.Completed})
	return false
}
