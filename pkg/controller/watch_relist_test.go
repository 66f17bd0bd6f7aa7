package controller

import (
	"slices"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A watch that begins anew shows every Framework again. Those that nobody has changed meanwhile have no round.
func TestUnchangedFrameworksHaveNoRoundAfterARelist(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.rests()
	round := w.looking()
	w.relist(func() { w.Create(apitest.ConfigMaps, foreign(apitest.ConfigMaps, "other")) })
	w.never("a round", round)
}

// Those that have been changed have one.
func TestChangedFrameworksHaveARoundAfterARelist(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.relist(func() { w.stopFramework("a") })
	w.reaches("a", v1.Completed)
}

// relist has the watch of Frameworks begin anew, and see only then what was changed meanwhile.
func (w *world) relist(meanwhile func()) {
	w.t.Helper()
	w.Hold(apitest.Frameworks)
	before := w.c.watches.frameworks.LastSyncResourceVersion()
	meanwhile()
	w.Compact()
	w.eventually("the watch begins anew", func() bool { return w.c.watches.frameworks.LastSyncResourceVersion() != before })
}

// rests waits until nothing is left to be done.
func (w *world) rests() {
	w.t.Helper()
	w.eventually("a rest", func() bool { return !w.within(500*time.Millisecond, w.looking()) && !w.awaitsAnswer() })
}

// awaitsAnswer reports whether a request is under way, whose answer has a round follow.
func (w *world) awaitsAnswer() bool {
	return slices.ContainsFunc(w.Requests("*"), func(q apitest.Request) bool { return q.Verb != "watch" && q.Code == 0 })
}

// looking returns what tells whether there has been a round since.
func (w *world) looking() func() bool {
	before := w.looks.Load()
	return func() bool { return w.looks.Load() > before }
}
