package controller

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Each Pod waits for its scheduler for a while. It is looked at again when that has taken too long.
func TestPodsAreNotRememberedBeforeTheirScheduler(t *testing.T) {
	t.Parallel()
	created := time.Unix(1_000_003, 0)
	r := &record{memory: memory{dependents: dependents{stalls: map[lifecycle.TaskRef]waiting.Stall{}}}}
	view := lifecycle.PodView{Pod: &lifecycle.Pod{UID: "u", StallCause: &waiting.Cause{Reason: reason.PodNotScheduled, Since: created}}}
	r.noteStall(lifecycle.TaskRef{Role: "w"}, view, created.Add(59*time.Second))
	if want := time.Unix(1_000_070, 0); len(r.dependents.stalls) > 0 || !r.schedule.retryAt.Equal(want) {
		t.Errorf("remembered: %v; looked at again at %s, want %s", r.dependents.stalls, r.schedule.retryAt, want)
	}
	r.noteStall(lifecycle.TaskRef{Role: "w"}, view, r.schedule.retryAt)
	if len(r.dependents.stalls) != 1 {
		t.Error("it is not remembered after a minute")
	}
}

// waitingSays waits until the condition Waiting has this reason and message.
func (w *world) waitingSays(framework, reason, message string) {
	w.t.Helper()
	w.conditionBecomes(framework, v1.ConditionWaiting, "True because "+reason)
	for _, c := range w.status(framework).Conditions {
		if c.Type == v1.ConditionWaiting && !strings.Contains(c.Message, message) {
			w.t.Errorf("it says %q, want %q", c.Message, message)
		}
	}
	w.warnedOnce(framework, reason)
}

// A scheduler that is down, or does not exist, reports nothing; so the controller reports it.
func TestPodThatNoSchedulerTakes(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", template(`{"spec": {"schedulerName": "hived", "containers": [{"name": "main", "image": "none"}]}}`))
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.never("it is told at once", func() bool { return w.condition("a", v1.ConditionWaiting) != "" })
	w.stop()
	w.startAt(2 * time.Minute)
	w.waitingSays("a", "PodNotScheduled", "Task w-0 (Pod a-w-0): no scheduler has looked at it since 2")
	w.waitingSays("a", "PodNotScheduled", ": its schedulerName is hived")
	w.schedulerSays("a-w-0", "SchedulerError", longAgo, "no answer from the extender")
	w.waitingSays("a", "Unschedulable", "no node was found: SchedulerError: no answer from the extender")
	w.Set(apitest.Pods, "a-w-0", []any{}, "status", "conditions")
	w.runs("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
}

// A Pod gated by a job queue is no concern of a scheduler. The API server's condition has no time.
func TestPodThatIsGated(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", template(`{"spec": {"schedulingGates": [{"name": "queue.io/admitted"}], "containers": [{"name": "main", "image": "none"}]}}`))
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.Edit(apitest.Pods, "a-w-0", func(o *unstructured.Unstructured) {
		gated := map[string]any{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated", "message": "blocked"}
		_ = unstructured.SetNestedSlice(o.Object, []any{gated}, "status", "conditions")
	})
	w.never("it is told at once", func() bool { return w.condition("a", v1.ConditionWaiting) != "" })
	w.waitingSays("a", "SchedulingGated", "Task w-0 (Pod a-w-0): its scheduling gates hold it back: queue.io/admitted")
}
