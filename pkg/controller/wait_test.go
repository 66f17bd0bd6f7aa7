package controller

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// eventually waits until a condition holds.
func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	if !w.within(patience, holds) {
		w.t.Fatalf("still not: %s", what)
	}
}

// within reports whether a condition becomes true within d. It checks again whenever the server has changed, and now and then.
func (w *world) within(d time.Duration, holds func() bool) bool {
	for end := time.Now().Add(d); time.Now().Before(end); {
		news := w.Changes()
		if holds() {
			return true
		}
		select {
		case <-news:
		case <-time.After(20 * time.Millisecond):
		}
	}
	return false
}

// never checks that a condition does not hold for a while.
func (w *world) never(what string, holds func() bool) {
	w.t.Helper()
	if w.within(300*time.Millisecond, holds) {
		w.t.Fatalf("should not be: %s", what)
	}
}

// requested waits for n requests that match a pattern, and returns them.
func (w *world) requested(pattern string, n int) []apitest.Request {
	w.t.Helper()
	w.eventually(pattern, func() bool { return len(w.Requests(pattern)) >= n })
	return w.Requests(pattern)
}

// requireRequests checks how many requests of a pattern there have been so far.
func (w *world) requireRequests(pattern string, want int) {
	w.t.Helper()
	if n := len(w.Requests(pattern)); n != want {
		w.t.Errorf("%d requests %q, want %d", n, pattern, want)
	}
}

// reaches waits until the Framework is in that state.
func (w *world) reaches(name string, state v1.State) {
	w.t.Helper()
	w.eventually(name+" is in "+string(state), func() bool { return w.state(name) == state })
}

// taskReaches waits until the Task is in that state.
func (w *world) taskReaches(framework, role string, index int, state v1.State) {
	w.t.Helper()
	w.eventually(v1.PodName(framework, role, int32(index))+" is in "+string(state), func() bool {
		return w.task(framework, role, index).State == state
	})
}

// conditionBecomes waits until a condition has that status and reason.
func (w *world) conditionBecomes(framework, kind, want string) {
	w.t.Helper()
	w.eventually(framework+" has condition "+kind+" "+want, func() bool { return w.condition(framework, kind) == want })
}

// warnedOnce waits for the one Warning event with the reason, and checks that there is no second.
func (w *world) warnedOnce(framework, reason string) {
	w.t.Helper()
	w.eventually("Warning "+reason, func() bool { return w.warnings(framework)[reason] > 0 })
	w.never("a second Warning "+reason, func() bool { return w.warnings(framework)[reason] > 1 })
}
