package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Standing is the state of a Task, in one word. Each Task has one at a time.
type Standing string

// The standings, in the order in which they are listed.
const (
	Running   Standing = "Running"
	Starting  Standing = "Starting"  // its Pod is not running yet
	InTurn    Standing = "Waiting"   // the parallelism of its role lets it have no Pod yet
	Retrying  Standing = "Retrying"  // an attempt is over, and the next one is about to begin
	Ending    Standing = "Ending"    // its outcome is known, and its Pod is being deleted
	Removing  Standing = "Removing"  // a scale-down removes it
	Succeeded Standing = "Succeeded" // for good
	Failed    Standing = "Failed"    // for good, by itself
	CutShort  Standing = "CutShort"  // it had not ended when the attempt of the Framework did
)

// Standings returns all standings, in the order in which they are listed.
func Standings() []Standing {
	return []Standing{Running, Starting, InTurn, Retrying, Ending, Removing, Succeeded, Failed, CutShort}
}

// StandingOf returns the standing of a Task.
func StandingOf(t *v1.TaskStatus) Standing {
	switch {
	case t.DeletionPending:
		return Removing
	case t.AttemptStatus.AwaitsTurn:
		return InTurn
	}
	switch t.State {
	case v1.AttemptRunning:
		return Running
	case v1.AttemptCreationPending, v1.AttemptCreationRequested, v1.AttemptPreparing:
		return Starting
	case v1.AttemptCompleted:
		return Retrying
	case v1.Completed:
		return outcomeOf(t.AttemptStatus.CompletionStatus)
	}
	return Ending
}

func outcomeOf(s *v1.TaskAttemptCompletionStatus) Standing {
	switch {
	case s == nil || s.Type.Name == v1.CompletionSucceeded:
		return Succeeded
	case completion.IsPredefined(s.CompletionStatus, completion.CodeFrameworkAttemptCompletion):
		return CutShort
	}
	return Failed
}

func countsOf(tasks []v1.TaskStatus) map[Standing]int {
	counts := map[Standing]int{}
	for i := range tasks {
		counts[StandingOf(&tasks[i])]++
	}
	return counts
}
