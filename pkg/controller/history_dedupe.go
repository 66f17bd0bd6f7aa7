package controller

import "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"

// dropped is something stored that the next state does not hold any more. The zero value is the Framework itself.
type dropped struct {
	row      string            // of the move that drops it
	task     lifecycle.TaskRef // empty for an attempt of the Framework
	instance string            // UID of the Task
	attempt  int32
}

// drops returns what a move drops; ok is false if that is nothing.
func (s *savedStatus) drops(m lifecycle.Move) (d dropped, ok bool) {
	switch m.Row {
	case lifecycle.RowTaskRetried, lifecycle.RowTaskRemoved:
		t := s.saved.Task(*m.Task)
		return dropped{m.Row, *m.Task, t.InstanceUID, t.AttemptStatus.ID}, true
	case lifecycle.RowFrameworkRetried:
		return dropped{row: m.Row, attempt: s.saved.Framework().AttemptStatus.ID}, true
	}
	return dropped{}, false
}

// isFirstReport reports whether the history does not have it since a status was stored last, and notes that it is logged
// now. While the storage takes nothing, the same is decided in every round, for hours maybe.
func (p *reported) isFirstReport(d dropped) bool {
	if p.logged[d] {
		return false
	}
	if p.logged == nil {
		p.logged = map[dropped]bool{}
	}
	p.logged[d] = true
	return true
}
