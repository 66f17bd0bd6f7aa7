package controller

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// The reported blocker is a current reason of failed creations. If reasons alternate, the same one is always reported.
func TestBlockersThatHavePassed(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	create := func(i int32) lifecycle.Action {
		return lifecycle.CreatePod{Task: lifecycle.TaskRef{Role: "w", Index: i}}
	}
	remove := func(i int32) lifecycle.Action {
		return lifecycle.DeletePod{Task: lifecycle.TaskRef{Role: "w", Index: i}}
	}
	forbidden, lost := apierrors.NewForbidden(corev1.Resource("pods"), "", nil), errors.New("connection refused")
	tests := map[string]struct {
		failures map[string]failedAction
		restored *restoredBlocker
		want     reason.Waiting
	}{
		"long ago": {map[string]failedAction{
			"w-0": {action: create(0), err: lost, at: start}, "w-1": {action: create(1), err: lost, at: start.Add(time.Second)},
			"w-2": {action: create(2), err: forbidden, at: start.Add(32 * time.Second)},
		}, nil, "Forbidden"},
		"not so long ago": {map[string]failedAction{
			"w-0": {action: create(0), err: lost, at: start}, "w-1": {action: create(1), err: lost, at: start.Add(2 * time.Second)},
			"w-2": {action: create(2), err: forbidden, at: start.Add(32 * time.Second)},
		}, nil, "APIServerUnreachable"},
		"taking turns": {map[string]failedAction{
			"w-0": {action: create(0), err: lost, at: start}, "w-1": {action: create(1), err: forbidden, at: start.Add(time.Minute)},
			"w-2": {action: create(2), err: lost, at: start.Add(time.Minute + 5*time.Second)},
		}, nil, "APIServerUnreachable"},
		"deletions have turns of their own": {map[string]failedAction{
			"w-0": {action: remove(0), err: lost, at: start}, "w-1": {action: create(1), err: forbidden, at: start.Add(time.Hour)},
		}, nil, "APIServerUnreachable"},
		"before a restart": {map[string]failedAction{"w-1": {action: create(1), err: forbidden, at: start.Add(time.Hour)}},
			&restoredBlocker{waiting.Fact{Reason: "APIServerUnreachable"}, start}, "Forbidden"},
		"just before a restart": {map[string]failedAction{"w-1": {action: create(1), err: forbidden, at: start.Add(time.Second)}},
			&restoredBlocker{waiting.Fact{Reason: "APIServerUnreachable"}, start}, "APIServerUnreachable"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := &record{memory: memory{blockers: blockers{failures: test.failures, restored: test.restored}}}
			found := r.blockedBy()
			if found[0].Reason != test.want {
				t.Errorf("first of %v is not %s", found, test.want)
			}
		})
	}
}

// queuing is a scheduler that has Frameworks wait for ever.
type queuing struct{ oneScheduler }

func (queuing) Hint(context.Context, string, *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	return &pluginpb.HintResponse{Wait: true}, pluginhost.Source{Plugin: "hints"}, nil
}

func (queuing) MayCreate(context.Context, string, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	return &pluginpb.MayCreateResponse{Reason: "queued", RetryAfterSeconds: 3600}, pluginhost.Source{Plugin: "hints"}, nil
}

// A restart is no news: the reported blocker remains, with its start time and its single event, even if it was stored by a version
// without facts.
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
		for _, facts := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%t", name, facts), func(t *testing.T) {
				t.Parallel()
				testWaitingOutlastsARestart(t, test.arrange, test.reason, test.tried, facts)
			})
		}
	}
}

func testWaitingOutlastsARestart(t *testing.T, arrange func(*world), why, tried string, facts bool) {
	w := newWorld(t)
	arrange(w)
	w.start()
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because "+why)
	w.warnedOnce("a", why)
	w.stop()
	before := w.longWaiting("a", facts)
	if tried != "" {
		tries := len(w.Requests(tried))
		w.start()
		w.requested(tried, tries+2)
	} else {
		w.start()
		w.create("b")
		w.conditionBecomes("b", v1.ConditionWaiting, "True because "+why)
	}
	w.never("it is told anew", func() bool { return w.warnings("a")[why] > 1 })
	for _, o := range w.History(apitest.Frameworks, "a") {
		if waitingIn(o) == "False" {
			t.Error("it waited no more")
		}
	}
	if since := w.waiting("a").LastTransitionTime.UTC().Format("2006"); since != longAgo[:4] {
		t.Errorf("it waits since %s", since)
	}
	if after := w.status("a").Waiting; facts && !reflect.DeepEqual(after, before) {
		t.Errorf("the facts were %+v, and are %+v", before, after)
	}
}

// longWaiting gives a Framework the condition of one that has waited for long, with or without facts, and returns the facts.
func (w *world) longWaiting(name string, facts bool) *v1.WaitingStatus {
	w.Edit(apitest.Frameworks, name, func(o *unstructured.Unstructured) {
		status := o.Object["status"].(map[string]any)
		for _, c := range status["conditions"].([]any) {
			if c := c.(map[string]any); c["type"] == v1.ConditionWaiting {
				c["lastTransitionTime"] = longAgo
			}
		}
		if !facts {
			delete(status, "waiting")
		}
	})
	return w.status(name).Waiting
}

// A blocker that was overcome during the restart is removed after the first attempt, or when nothing is attempted any longer.
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

// waiting returns the stored condition Waiting; its zero value if there is none.
func (w *world) waiting(framework string) metav1.Condition {
	if c := meta.FindStatusCondition(w.status(framework).Conditions, v1.ConditionWaiting); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// forbidPods makes all creations of Pods fail, with new words for each attempt.
func (w *world) forbidPods(words func(try int64) string) {
	var tries atomic.Int64
	w.Judge(func(q apitest.Request) apitest.Fault {
		if q.Verb != "create" || q.Resource != apitest.Pods {
			return apitest.Fault{}
		}
		return apitest.Refuse(403, metav1.StatusReasonForbidden, words(tries.Add(1)))
	})
}

// A quota whose usage changes costs no status write. Its message about a changed spec is reported, and so is another quota in the
// way.
func TestQuotaInOtherWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var quota atomic.Value
	quota.Store("team")
	w.forbidPods(func(try int64) string {
		return fmt.Sprintf("exceeded quota: %s, requested: cpu=1, used: cpu=%d, limited: cpu=9", quota.Load(), try)
	})
	w.start()
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because Forbidden")
	writes := len(w.Requests(statusWrites))
	w.requested("create pods", 4)
	if n := len(w.Requests(statusWrites)); n != writes {
		t.Errorf("%d status writes for the same", n-writes)
	}
	if facts := w.status("a").Waiting; facts == nil || facts.Action != "CreatePod" || facts.Pod != "a-w-0" || facts.Role != "w" || *facts.Index != 0 {
		t.Errorf("the facts are %+v", facts)
	}
	before := w.waiting("a").Message
	w.respec("a", taskRetries(1))
	w.eventually("what is asked for now is told", func() bool { return w.waiting("a").Message != before })
	quota.Store("guests")
	w.eventually("the other quota is told", func() bool {
		return strings.HasPrefix(w.waiting("a").Message, "creating Pod a-w-0: exceeded quota: guests, ")
	})
}

// A Framework whose retention time is over, but which cannot be deleted, reports that in one status write. A quota that its Tasks
// have waited for is no longer reported.
func TestDeletionOfTheFrameworkIsRefused(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Inject("create pods a-q-0", apitest.Always, apitest.Quota())
	var keep atomic.Bool
	keep.Store(true)
	w.Judge(func(q apitest.Request) apitest.Fault {
		if q.Verb != "delete" || q.Resource != apitest.Frameworks || !keep.Load() {
			return apitest.Fault{}
		}
		return apitest.Refuse(403, metav1.StatusReasonForbidden, "frameworks may not be deleted")
	})
	w.create("a", roles(role("w", 1), role("q", 1)))
	w.runs("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because Forbidden")
	w.EndPod("a-w-0", 1)
	w.reaches("a", v1.Completed)
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")

	w.expireIn("a", 0)
	w.conditionBecomes("a", v1.ConditionWaiting, "True because Forbidden")
	if got, want := w.waiting("a").Message, "deleting the Framework: frameworks may not be deleted"; got != want {
		t.Errorf("the message is %q, want %q", got, want)
	}
	if facts := w.status("a").Waiting; facts == nil || facts.Action != "DeleteFramework" || facts.Message != "frameworks may not be deleted" {
		t.Errorf("the facts are %+v", facts)
	}
	writes := len(w.Requests(statusWrites))
	w.requested("delete frameworks", len(w.Requests("delete frameworks"))+2)
	if n := len(w.Requests(statusWrites)); n != writes {
		t.Errorf("%d status writes for the same", n-writes)
	}
	w.expireIn("a", 3600)
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
	keep.Store(false)
	w.expireIn("a", 0)
	w.eventually("it goes", func() bool { return w.Get(apitest.Frameworks, "a") == nil })
}

// expireIn has a Framework kept for so long after its end.
func (w *world) expireIn(framework string, seconds int64) {
	w.Edit(apitest.Frameworks, framework, func(o *unstructured.Unstructured) {
		o.Object["spec"].(map[string]any)["ttlSecondsAfterFinished"] = seconds
		o.SetGeneration(o.GetGeneration() + 1)
	})
}
