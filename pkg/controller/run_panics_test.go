package controller

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// A bug triggered by one Framework does not stop the others.
func TestPanicInARound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.errorsExpected = true
	w.options.Log = panickyLog{w.options.Log, "default/bad"}
	w.options.Workers = 1
	w.start()
	w.create("bad")
	w.running("a")
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	if lines := w.log.lines("panic"); len(lines) == 0 || !strings.Contains(lines[0], "default/bad") {
		t.Errorf("the log has %v", lines)
	}
}

// Nor does a bug in an action: the action counts as failed, and is retried.
func TestPanicInAnAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.errorsExpected = true
	w.start()
	b := &flowcontrol.Breaker{}
	got := w.c.performer.throughBreaker(t.Context(), &prepared{breaker: b, request: func(context.Context) result { panic("a bug") }})
	if got.err == nil || !got.transient() || b.OpenUntil().IsZero() {
		t.Errorf("the result is %+v, and the breaker is open until %v", got, b.OpenUntil())
	}
}

// Nor does a bug in preparing an action: its object does not keep an action under way for ever, and the actions after it are
// started.
func TestPanicBeforeAnAction(t *testing.T) {
	t.Parallel()
	c := atRest(t)
	r := c.queue.records.get(cache.NewObjectName("default", "a"))
	r.reset("1", false)
	state, err := lifecycle.Load(&v1.FrameworkStatus{
		State:         v1.AttemptCreationPending,
		AttemptStatus: v1.FrameworkAttemptStatus{ConfigMapName: "a-attempt", TaskRoleStatuses: []v1.TaskRoleStatus{}},
	})
	require.NoError(t, err)
	r.desired.set(state, false)
	creation := lifecycle.CreatePod{Task: lifecycle.TaskRef{Role: "w"}} // there is no status to build it from
	if got := c.performer.prepare(r, creation).request(t.Context()); !got.transient() {
		t.Errorf("the result is %+v", got)
	}
	c.performer.startAll(r, []lifecycle.Action{creation, lifecycle.ReadConfigMap{}})
	pool := c.performer.pool
	pool.Submit(r.key, true, flowcontrol.Job{Wanted: func() bool { return true }, Do: func(context.Context) { pool.Close() }})
	pool.Run(t.Context(), 1)
	for _, n := range r.mailbox.drain() {
		c.handleResult(r, n.(result))
	}
	for name, f := range map[string]*facts{"Pod": r.dependents.pod("a-w-0"), "ConfigMap": &r.dependents.configMap} {
		if f.inFlight {
			t.Errorf("an action on the %s is under way for ever", name)
		}
	}
}

// A bug in handling an event does not lose the events after it.
func TestPanicInHearing(t *testing.T) {
	t.Parallel()
	c := atRest(t)
	r := c.queue.records.get(cache.NewObjectName("default", "a"))
	r.reset("1", false)
	r.schedule.full, r.dependents.configMap.inFlight = false, true
	r.mailbox.put(answer{framework: "1", apply: func(*record) { panic("a bug") }})
	r.mailbox.put(result{action: lifecycle.ReadConfigMap{}, framework: "1", object: &corev1.ConfigMap{}})
	if err := c.guarded(t.Context(), r.key); err == nil {
		t.Error("the round is not tried again")
	}
	if r.dependents.configMap.inFlight || !r.schedule.full {
		t.Errorf("an action is under way for ever: %v; everything is looked at: %v", r.dependents.configMap.inFlight, r.schedule.full)
	}
}

// panickyScheduler has a bug, at first.
type panickyScheduler struct {
	oneScheduler
	asked *atomic.Int64
}

func (s panickyScheduler) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	if s.asked.Add(1) == 1 {
		panic("a bug")
	}
	return nil, pluginhost.Source{Plugin: "hints"}, nil
}

// One in asking a plugin does not end the controller: the question is asked again.
func TestPanicInAQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.errorsExpected = true
	w.startWith(panickyScheduler{asked: &atomic.Int64{}})
	w.running("a")
	if lines := w.log.lines("panic"); len(lines) == 0 || !strings.Contains(lines[0], "default/a") {
		t.Errorf("the log has %v", lines)
	}
}

// atRest returns a controller that does not run.
func atRest(t *testing.T) *Controller {
	t.Helper()
	w := newWorld(t)
	w.errorsExpected = true
	w.c = w.newController(time.Now)
	t.Cleanup(w.c.reporter.stop)
	return w.c
}
