package controller

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// oneScheduler is a host with one plugin for scheduler hints, which has no opinion, or refuses and tells so.
type oneScheduler struct {
	consult.Host
	refuses chan struct{}
	hints   *pluginpb.HintResponse
}

func (oneScheduler) Plugins(kind plugin.Kind) []string {
	if kind == plugin.KindSchedulerHints {
		return []string{"hints"}
	}
	return nil
}

// FrameworkParameters lets Frameworks set any.
func (oneScheduler) FrameworkParameters(context.Context, string) ([]string, error) { return nil, nil }

func (oneScheduler) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: "hints", Kind: plugin.KindSchedulerHints}, name == "hints"
}

func (s oneScheduler) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	if s.refuses != nil {
		s.refuses <- struct{}{}
		return &pluginpb.HintResponse{Refusal: "no"}, pluginhost.Source{Plugin: "hints"}, nil
	}
	return s.hints, pluginhost.Source{Plugin: "hints"}, nil
}

// What the plugin of a scheduler warns of is told once in an attempt, and hinders nothing.
func TestHintsWarn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith(oneScheduler{hints: &pluginpb.HintResponse{
		Patches:  []*pluginpb.PodPatch{{TaskRole: "w", SchedulerName: "cells"}},
		Warnings: []string{"cells are kept"},
	}})
	w.create("a")
	w.runs("a")
	w.warnedOnce("a", "HintsWarning")
}

// A template that is none of a Pod fails its Task with the reason, as it does without a plugin for hints.
func TestUnusableTemplateWithHints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith(oneScheduler{})
	w.create("a", func(s *v1.FrameworkSpec) {
		s.TaskRoles[0].Task.Pod = v1.PodTemplate(`{"metadata": {"labels": {"a": 5}}, "spec": {"containers": {}}}`)
	})
	w.reaches("a", v1.Completed)
	task := w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	if s := task.AttemptStatus.CompletionStatus; s == nil || s.Code != -200 {
		t.Errorf("the Task ended with %+v", s)
	}
	w.warnedOnce("a", "PluginSkipped")
}

// What hints wait for stays told until they have come: it does not go away with a round that looks at no Task.
func TestWaitingForHintsIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := make(chan struct{}, 1000)
	w.startWith(oneScheduler{refuses: asked})
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because HintsRefused")
	w.eventually("it is asked again and again", func() bool { return len(asked) > 3 })
	w.warnedOnce("a", "HintsRefused")
	for _, o := range w.History(apitest.Frameworks, "a") {
		if waitingIn(o) == "False" {
			t.Error("it waits no more")
		}
	}
}

// admitting is a scheduler that has Frameworks wait until they are admitted.
type admitting struct {
	oneScheduler
	asked chan time.Time
	times *atomic.Int64
	after int32 // seconds
}

func (admitting) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	return &pluginpb.HintResponse{Wait: true}, pluginhost.Source{Plugin: "hints"}, nil
}

// MayCreate says yes when it is asked for the second time.
func (s admitting) MayCreate(_ context.Context, _ string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	s.asked <- q.GetNow().AsTime() // which is when it is asked
	return &pluginpb.MayCreateResponse{Yes: s.times.Add(1) > 1, Reason: "queued", RetryAfterSeconds: s.after}, pluginhost.Source{Plugin: "hints"}, nil
}

// What a scheduler has said is told at once, and it is asked again when it has said.
func TestSchedulerIsAskedAgainWhenItSays(t *testing.T) {
	for after, want := range map[int32]time.Duration{1: time.Second, 4: 4 * time.Second, 0: 5 * time.Second} {
		t.Run(want.String(), func(t *testing.T) {
			inBubble(t, func(w *world) {
				asked := make(chan time.Time, 10)
				w.startWith(admitting{asked: asked, times: &atomic.Int64{}, after: after})
				w.create("a")
				w.conditionBecomes("a", v1.ConditionWaiting, "True because SchedulerNotReady")
				first := <-asked
				if d := time.Since(first); d != coalesce {
					w.t.Errorf("told after %s", d)
				}
				w.taskReaches("a", "w", 0, v1.AttemptPreparing)
				if d := (<-asked).Sub(first); d != want {
					w.t.Errorf("asked again after %s", d)
				}
			})
		})
	}
}

// twoSchedulers has another plugin for hints beside the one that has Frameworks wait.
type twoSchedulers struct{ admitting }

func (twoSchedulers) Plugins(kind plugin.Kind) []string {
	if kind != plugin.KindSchedulerHints {
		return nil
	}
	return []string{"hints", "other"}
}

func (twoSchedulers) JudgesPending(string) bool { return false }
func (twoSchedulers) WantsEvents(string) bool   { return false }

func (twoSchedulers) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: name, Kind: plugin.KindSchedulerHints}, true
}

// Whoever disables the plugin that is waited for need not wait until it is asked again.
func TestSchedulerIsDisabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := make(chan time.Time, 10)
	w.startWith(twoSchedulers{admitting{asked: asked, times: &atomic.Int64{}, after: 3600}})
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because SchedulerNotReady")
	w.disableHints("a")
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
}

// unmakable is a host whose plugin wants an object of a kind that the cluster does not have.
type unmakable struct{ twoSchedulers }

func (unmakable) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	object := &pluginpb.Object{Json: []byte(`{"apiVersion": "example.com/v1", "kind": "Gang", "metadata": {"name": "a-0"}}`)}
	return &pluginpb.HintResponse{Wait: true, Objects: []*pluginpb.Object{object}}, pluginhost.Source{Plugin: "hints"}, nil
}

// That an object which hints want cannot be made has a reason of its own. Whoever disables the plugin does without it, also
// if there is another plugin for hints.
func TestObjectOfHintsCannotBeMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith(unmakable{})
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because HintsObjectsFailed")
	w.warnedOnce("a", "HintsObjectsFailed")
	w.disableHints("a")
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
}

// disableHints has the Framework do without the plugin that is named "hints".
func (w *world) disableHints(framework string) {
	w.Edit(apitest.Frameworks, framework, func(o *unstructured.Unstructured) {
		o.Object["spec"].(map[string]any)["plugins"] = []any{map[string]any{"name": "hints", "disabled": true}}
	})
}
