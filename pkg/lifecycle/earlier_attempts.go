package lifecycle

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// withEarlier returns the records of the Task's attempts that are kept when its current attempt is followed by another.
func withEarlier(t *v1.TaskStatus) []v1.EarlierTaskAttempt {
	a := &t.AttemptStatus
	ended := v1.EarlierTaskAttempt{
		ID: a.ID, Code: a.CompletionStatus.Code, Phrase: a.CompletionStatus.Phrase, Type: a.CompletionStatus.Type,
		StartTime: a.StartTime, RunTime: a.RunTime, CompletionTime: t.TransitionTime,
	}
	if a.CompletionTime != nil {
		ended.CompletionTime = *a.CompletionTime
	}
	if a.PodNodeName != nil {
		ended.Node = *a.PodNodeName
	}
	// A new list: previous states keep theirs.
	kept := t.EarlierAttempts[max(0, len(t.EarlierAttempts)-(v1.MaxEarlierAttempts-1)):]
	return append(append(make([]v1.EarlierTaskAttempt, 0, len(kept)+1), kept...), ended)
}
