package controller

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/health"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// failing returns the failing checks with their errors.
func failing(checks []health.Check) string {
	var failed []string
	for _, c := range checks {
		if _, err := c.Look(); err != nil {
			failed = append(failed, c.Name+": "+err.Error())
		}
	}
	return strings.Join(failed, "; ")
}

// idle returns a controller that has nothing to do, and its clock.
func idle(t *testing.T) (c *Controller, now *time.Time) {
	now = new(time.Time)
	*now = time.Now()
	c = &Controller{performer: &performer{}, queue: newRoundQueue(nil, false)}
	c.vitals = &vitals{
		options: Options{Workers: 2, RequestsInFlight: 2, CRD: apiserver.CRDOptions{CheckTimeout: time.Minute}},
		clock:   func() time.Time { return *now },
		queue:   c.queue,
		actions: &c.performer.underWay,
	}
	t.Cleanup(c.queue.ShutDown)
	c.vitals.reach(working)
	return c, now
}

// A stuck round is detected, and a slow one is not mistaken for it.
func TestStuckRound(t *testing.T) {
	c, now := idle(t)
	c.vitals.rounds.Begin(cache.NewObjectName("default", "slow"), *now)
	*now = now.Add(6 * time.Minute)
	c.vitals.rounds.Begin(cache.NewObjectName("default", "quick"), *now)
	if got := failing(c.Liveness()); got != "" {
		t.Errorf("after 6 minutes: %s", got)
	}
	*now = now.Add(time.Second)
	if got := failing(c.Liveness()); got != "rounds: the round of Framework default/slow has not ended for 6m1s" {
		t.Error(got)
	}
	c.vitals.rounds.End(cache.NewObjectName("default", "slow"))
	if got := failing(c.Liveness()); got != "" {
		t.Error(got)
	}
}

func TestStuckAction(t *testing.T) {
	c, now := idle(t)
	c.performer.underWay.Begin(performance{cache.NewObjectName("default", "a"), lifecycle.CreatePod{Task: lifecycle.TaskRef{Role: "w"}}}, *now)
	*now = now.Add(6*time.Minute + time.Second)
	if got := failing(c.Liveness()); !strings.HasPrefix(got, "requests: default/a: create pod w-0") {
		t.Error(got)
	}
}

// A rate limit of one request in a minute makes everything slow, which a restart would not change.
func TestRateLimitIsNotStuck(t *testing.T) {
	c, now := idle(t)
	c.vitals.pause = time.Minute
	c.vitals.rounds.Begin(cache.NewObjectName("default", "a"), *now)
	*now = now.Add(15 * time.Minute)
	if got := failing(c.Liveness()); got != "" {
		t.Error(got)
	}
}

// A stuck queue is detected, even if there is no round; a queue that moves, or is empty, is not stuck.
func TestStuckQueue(t *testing.T) {
	c, now := idle(t)
	key := cache.NewObjectName("default", "a")
	pass := func(d time.Duration) string {
		*now = now.Add(d)
		return failing(c.Liveness())
	}
	for range 2 {
		if got := pass(time.Hour); got != "" {
			t.Errorf("an empty queue: %s", got)
		}
	}
	c.queue.Add(key)
	for range 10 {
		c.vitals.rounds.Begin(key, *now)
		c.vitals.rounds.End(key)
		if got := pass(4 * time.Minute); got != "" {
			t.Errorf("a queue that moves: %s", got)
		}
	}
	pass(4 * time.Minute)
	if got := pass(4 * time.Minute); got != "queue: 1 Frameworks wait, and no round has begun for 8m0s" {
		t.Error(got)
	}
	c.vitals.reach(starting)
	if got := pass(time.Minute); got != "" {
		t.Errorf("rounds are not to begin yet: %s", got)
	}
}

// Ready is a controller only between its start and its end.
func TestReadiness(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	unavailable := w.Inject("patch customresourcedefinitions", apitest.Always, apitest.DropConnection)
	unlisted := w.Inject("list pods", apitest.Always, apitest.DropConnection)
	w.start()
	w.failing("crd: the CRD is not installed yet; caches: the caches are not filled yet")
	unavailable()
	w.failing("caches: the caches are not filled yet")
	unlisted()
	w.failing("")
	w.stop()
	w.failing("shutdown: the controller is stopping")
}

func (w *world) failing(want string) {
	w.t.Helper()
	w.eventually("readiness says "+want, func() bool { return failing(w.c.Readiness()) == want })
}

// Neither an API server that is down nor a status that cannot be written is a reason to restart the process.
func TestAliveWithoutServer(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.Inject("*", apitest.Always, apitest.DropConnection)
	w.EndPod("a-w-0", 0)
	w.BreakWatches()
	w.eventually("writes fail", func() bool { return len(w.log.lines("retrying a round")) > 0 })
	if got := failing(w.c.Liveness()); got != "" {
		t.Error(got)
	}
}

// Names of actions appear in metrics: they must be the ones that Actions lists.
func TestActionsAreNamed(t *testing.T) {
	actions := []lifecycle.Action{
		lifecycle.CreateConfigMap{}, lifecycle.DeleteConfigMap{}, lifecycle.ReadConfigMap{}, lifecycle.ReadItems{},
		lifecycle.CreatePod{}, lifecycle.DeletePod{}, lifecycle.ReadPod{}, lifecycle.DeleteFramework{},
		lifecycle.KeepCompanion{Companion: lifecycle.NameService}, lifecycle.KeepCompanion{Companion: lifecycle.KeySecret},
		lifecycle.DeleteCompanion{Companion: lifecycle.NameService}, lifecycle.DeleteCompanion{Companion: lifecycle.KeySecret},
		lifecycle.KeepClaim{}, lifecycle.DeleteClaim{},
	}
	require.Len(t, Actions(), len(actions))
	for i, name := range Actions() {
		if got := actionName(actions[i]); got != name {
			t.Errorf("%T is %s and not %s", actions[i], got, name)
		}
	}
}
