package controller

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// queuing is a scheduler that has Frameworks wait for ever.
type queuing struct{ oneScheduler }

func (queuing) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	return &pluginpb.HintResponse{Wait: true}, pluginhost.Source{Plugin: "hints"}, nil
}

func (queuing) MayCreate(context.Context, string, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	return &pluginpb.MayCreateResponse{Reason: "queued", RetryAfterSeconds: 3600}, pluginhost.Source{Plugin: "hints"}, nil
}

// A restart is no news: what a Framework waits for stays told, since when it was, and in one event.
func TestWaitingOutlastsARestart(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arrange func(*world)
		reason  string
		tried   string // again and again; by plugins if empty
	}{
		"quota": {func(w *world) { w.Inject("create pods", apitest.Always, apitest.Quota()) }, "Forbidden", "create pods"},
		"quota, with hints": {func(w *world) {
			w.options.Plugins = consult.New(adviser{plugin.KindSchedulerHints}, nil)
			w.Inject("create pods", apitest.Always, apitest.Quota())
		}, "Forbidden", "create pods"},
		"permission":        {func(w *world) { w.Deny("create pods") }, "Forbidden", "create pods"},
		"foreign Pod":       {func(w *world) { w.Create(apitest.Pods, foreign(apitest.Pods, "a-w-0")) }, "NameConflict", "create pods"},
		"foreign ConfigMap": {func(w *world) { w.Create(apitest.ConfigMaps, foreign(apitest.ConfigMaps, "a-attempt")) }, "NameConflict", "create configmaps"},
		"refused hints": {func(w *world) {
			w.options.Plugins = consult.New(oneScheduler{refuses: make(chan struct{}, 1000)}, nil)
		}, "HintsRefused", ""},
		"scheduler": {func(w *world) { w.options.Plugins = consult.New(queuing{}, nil) }, "SchedulerNotReady", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			test.arrange(w)
			w.start()
			w.create("a")
			w.conditionBecomes("a", v1.ConditionWaiting, "True because "+test.reason)
			w.warnedOnce("a", test.reason)
			w.stop()
			w.longWaiting("a")
			if test.tried != "" {
				tries := len(w.Requests(test.tried))
				w.start()
				w.requested(test.tried, tries+2)
			} else {
				w.start()
				w.create("b")
				w.conditionBecomes("b", v1.ConditionWaiting, "True because "+test.reason)
			}
			w.never("it is told anew", func() bool { return w.warnings("a")[test.reason] > 1 })
			for _, o := range w.History(apitest.Frameworks, "a") {
				if waitingIn(o) == "False" {
					t.Error("it waited no more")
				}
			}
			if since := w.waiting("a").LastTransitionTime.UTC().Format("2006"); since != longAgo[:4] {
				t.Errorf("it waits since %s", since)
			}
		})
	}
}

// longWaiting has the condition be that of a Framework that waits since long ago.
func (w *world) longWaiting(name string) {
	w.Edit(apitest.Frameworks, name, func(o *unstructured.Unstructured) {
		conditions := o.Object["status"].(map[string]any)["conditions"].([]any)
		for _, c := range conditions {
			if c := c.(map[string]any); c["type"] == v1.ConditionWaiting {
				c["lastTransitionTime"] = longAgo
			}
		}
	})
}

// What was in the way before the restart, and is not any more, goes with the first try, or when nobody tries any more.
func TestOvercomeDuringARestart(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *world, undo func()){
		"quota raised": func(_ *world, undo func()) { undo() },
		"scaled down": func(w *world, _ func()) {
			w.respec("a", tasks(0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			undo := w.Inject("create pods", apitest.Always, apitest.Quota())
			w.start()
			w.create("a")
			w.conditionBecomes("a", v1.ConditionWaiting, "True because Forbidden")
			w.stop()
			change(w, undo)
			w.start()
			w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
		})
	}
}
