package controller

import (
	"context"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// oneScheduler is a host with one plugin for scheduler hints, which has no opinion, or refuses and tells so.
type oneScheduler struct {
	consult.Host
	refuses chan struct{}
}

func (oneScheduler) Plugins(kind pluginhost.Kind) []string {
	if kind == pluginhost.SchedulerHints {
		return []string{"hints"}
	}
	return nil
}

func (oneScheduler) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: "hints", Kind: pluginhost.SchedulerHints}, name == "hints"
}

func (s oneScheduler) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	if s.refuses != nil {
		s.refuses <- struct{}{}
		return &pluginpb.HintResponse{Refusal: "no"}, pluginhost.Source{Plugin: "hints"}, nil
	}
	return nil, pluginhost.Source{Plugin: "hints"}, nil
}

// A template that is none of a Pod fails its Task with the reason, as it does without a plugin for hints.
func TestUnusableTemplateWithHints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Plugins = consult.New(oneScheduler{}, nil)
	w.start()
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
	w.options.Plugins = consult.New(oneScheduler{refuses: asked}, nil)
	w.start()
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
