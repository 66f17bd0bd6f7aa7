package controller

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// downQueue does not answer now and then, and is waited for.
type downQueue struct {
	queueing
	down *atomic.Bool
}

func (downQueue) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: "hints", Kind: plugin.KindSchedulerHints, FailurePolicy: pluginhost.Wait}, name == "hints"
}

func (s downQueue) MayCreate(ctx context.Context, name string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	if s.down.Load() {
		return nil, pluginhost.Source{}, errors.New("down")
	}
	return s.queueing.MayCreate(ctx, name, q)
}

// If a scheduler takes an attempt back while it cannot be asked, the eviction is heard once it can be, although nothing else
// changes.
func TestEvictionIsHeardAfterAnError(t *testing.T) {
	inBubble(t, func(w *world) {
		s := downQueue{newQueueing(), new(atomic.Bool)}
		s.say(&pluginpb.MayCreateResponse{Yes: true})
		w.startWith(s)
		w.create("a")
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		s.down.Store(true)
		s.say(&pluginpb.MayCreateResponse{Evict: &pluginpb.Eviction{Reason: "preempted"}, RetryAfterSeconds: 3600})
		w.c.HintsChanged("default", "a")
		w.conditionBecomes("a", v1.ConditionWaiting, "True because PluginUnavailable")
		s.down.Store(false)
		w.eventually("the next attempt", func() bool { return w.status("a").AttemptStatus.ID == 1 })
	})
}
