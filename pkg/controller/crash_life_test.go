package controller

import (
	"slices"
	"sync"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// fate is the fate of a controller at one of its writes.
type fate int

const (
	livesOn      fate = iota
	diesBefore        // the write is not performed
	diesAfter         // it is, and the controller never learns its outcome
	diesOnChange      // the same, if the write has changed anything; otherwise it lives on
)

// plan decides the fate of a controller at its n-th write, from 0; lives of the controller are numbered from 0 too.
type plan func(life, n int, q apitest.Request) fate

// life is one run of the controller.
type life struct {
	fateAt  func(n int, q apitest.Request) fate
	fault   func(q apitest.Request) *apitest.Fault
	crashed chan struct{}

	mu     sync.Mutex
	writes []apitest.Request
}

// judge is for apitest.Server.Judge.
func (l *life) judge(q apitest.Request) apitest.Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	if isClosed(l.crashed) {
		return unanswered(q)
	}
	if l.fault != nil {
		if f := l.fault(q); f != nil {
			return *f
		}
	}
	if !isWrite(q) {
		return apitest.Fault{}
	}
	l.writes = append(l.writes, q)
	switch l.fateAt(len(l.writes)-1, q) {
	case diesBefore:
		close(l.crashed)
		return apitest.DropConnection
	case diesAfter:
		close(l.crashed)
		return apitest.LoseAnswer
	case diesOnChange:
		return apitest.Fault{LoseIf: l.dieOnChange}
	}
	return apitest.Fault{}
}

func (l *life) dieOnChange(changed bool) (lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if changed && !isClosed(l.crashed) {
		close(l.crashed)
	}
	return isClosed(l.crashed)
}

// isWrite leaves out Events, which may be lost or repeated, and reviews of access, which change nothing.
func isWrite(q apitest.Request) bool {
	return !slices.Contains([]string{"get", "list", "watch"}, q.Verb) &&
		q.Resource != apitest.Events && q.Resource != "selfsubjectaccessreviews"
}

func (l *life) done() []apitest.Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.writes)
}
