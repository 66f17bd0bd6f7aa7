package controller

import "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"

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
