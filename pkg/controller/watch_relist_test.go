package controller

import (
	"slices"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A restarted watch shows every Framework again. Frameworks that have not changed meanwhile get no round.
func TestUnchangedFrameworksHaveNoRoundAfterARelist(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.rests()
	round := w.looking()
	w.relist(func() { w.Create(apitest.ConfigMaps, foreign(apitest.ConfigMaps, "other")) })
	w.never("a round", round)
}

// Changed Frameworks get one.
func TestChangedFrameworksHaveARoundAfterARelist(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.relist(func() { w.stopFramework("a") })
	w.reaches("a", v1.Completed)
}

// relist restarts the watch of Frameworks, which sees the changes made meanwhile only then.
func (w *world) relist(meanwhile func()) {
	w.t.Helper()
	w.Hold(apitest.Frameworks)
	before := w.c.watches.frameworks.LastSyncResourceVersion()
	meanwhile()
	w.Compact()
	w.eventually("the watch begins anew", func() bool { return w.c.watches.frameworks.LastSyncResourceVersion() != before })
}

// rests waits until there is nothing left to do.
func (w *world) rests() {
	w.t.Helper()
	w.eventually("a rest", func() bool { return !w.within(500*time.Millisecond, w.looking()) && !w.awaitsAnswer() })
}

// awaitsAnswer reports whether a request is under way whose answer will cause a round.
func (w *world) awaitsAnswer() bool {
	return slices.ContainsFunc(w.Requests("*"), func(q apitest.Request) bool { return q.Verb != "watch" && q.Code == 0 })
}

// looking returns a function that reports whether there has been a round since.
func (w *world) looking() func() bool {
	before := w.looks.Load()
	return func() bool { return w.looks.Load() > before }
}
