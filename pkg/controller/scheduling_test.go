package controller

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// pendingPod has no node. It was created in the first second of 2024.
func pendingPod(conditions ...corev1.PodCondition) *corev1.Pod {
	p := &corev1.Pod{}
	p.CreationTimestamp = metav1.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	p.Spec.SchedulerName = "hived"
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "queue.io/admitted"}, {Name: "b"}}
	p.Status.Phase, p.Status.Conditions = corev1.PodPending, conditions
	return p
}

// notScheduled is what is said of a Pod a minute after it was created.
func notScheduled(reason, message string) corev1.PodCondition {
	return corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: message,
		LastTransitionTime: metav1.Date(2024, 1, 1, 0, 1, 0, 0, time.UTC)}
}

// Whatever keeps a Pod from getting a node is known from its status, or from that there is none.
func TestDelayOfScheduling(t *testing.T) {
	t.Parallel()
	edited := func(p *corev1.Pod, edit func(p *corev1.Pod)) *corev1.Pod {
		edit(p)
		return p
	}
	timeless := notScheduled("SchedulingGated", "blocked")
	timeless.LastTransitionTime = metav1.Time{}
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"no room":               {pendingPod(notScheduled("Unschedulable", "0/7 nodes are\navailable")), "Unschedulable at 1m0s: 0/7 nodes are available"},
		"an error":              {pendingPod(notScheduled("SchedulerError", "no answer")), "Unschedulable at 1m0s: SchedulerError: no answer"},
		"an error, no words":    {pendingPod(notScheduled("SchedulerError", "")), "Unschedulable at 1m0s: SchedulerError"},
		"another scheduler":     {pendingPod(notScheduled("Undetermined", "not yet")), "Unschedulable at 1m0s: Undetermined: not yet"},
		"gates":                 {pendingPod(notScheduled("SchedulingGated", "blocked")), "SchedulingGated at 1m0s: queue.io/admitted, b"},
		"gates from the start":  {pendingPod(timeless), "SchedulingGated at 0s: queue.io/admitted, b"},
		"nobody has looked":     {pendingPod(), "PodNotScheduled at 0s: its schedulerName is hived"},
		"said something else":   {pendingPod(corev1.PodCondition{Type: corev1.PodReady}), "PodNotScheduled at 0s: its schedulerName is hived"},
		"scheduled":             {pendingPod(corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}), ""},
		"has a node":            {edited(pendingPod(), func(p *corev1.Pod) { p.Spec.NodeName = "n" }), ""},
		"an answer's metadata":  {edited(pendingPod(), func(p *corev1.Pod) { p.Status.Phase = "" }), ""},
		"of no time":            {edited(pendingPod(), func(p *corev1.Pod) { p.CreationTimestamp = metav1.Time{} }), ""},
		"ended before it began": {edited(pendingPod(), func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			for what, p := range map[string]*corev1.Pod{"whole": test.pod, "trimmed": podview.TrimPod(test.pod)} {
				got := ""
				if d := podview.PodOf(p, true).Delay; d != nil {
					got = fmt.Sprintf("%s at %s: %s", d.Reason, d.Since.Sub(pendingPod().CreationTimestamp.Time), d.Words)
				}
				if got != test.want {
					t.Errorf("%s: got %q, want %q", what, got, test.want)
				}
			}
		})
	}
}

// Of Pods that get a node nothing is kept.
func TestTrimOfWhatIsScheduled(t *testing.T) {
	t.Parallel()
	p := pendingPod(corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	p.Spec.NodeName = "n"
	if out := podview.TrimPod(p); out.Spec.SchedulerName != "" || !out.CreationTimestamp.IsZero() || out.Spec.SchedulingGates != nil || out.Status.Conditions != nil {
		t.Errorf("kept: %v", out)
	}
}

// Each Pod waits for its scheduler for a while. It is looked at again when that has taken too long.
func TestPodsAreNotRememberedBeforeTheirScheduler(t *testing.T) {
	t.Parallel()
	created := time.Unix(1_000_003, 0)
	r := &record{memory: memory{dependents: dependents{stalls: map[lifecycle.TaskRef]lifecycle.Stall{}}}}
	view := lifecycle.PodView{Pod: &lifecycle.Pod{UID: "u", Delay: &lifecycle.Delay{Reason: lifecycle.ReasonPodNotScheduled, Since: created}}}
	r.noteStall(lifecycle.TaskRef{Role: "w"}, view, created.Add(59*time.Second))
	if want := time.Unix(1_000_070, 0); len(r.dependents.stalls) > 0 || !r.schedule.retryAt.Equal(want) {
		t.Errorf("remembered: %v; looked at again at %s, want %s", r.dependents.stalls, r.schedule.retryAt, want)
	}
	r.noteStall(lifecycle.TaskRef{Role: "w"}, view, r.schedule.retryAt)
	if len(r.dependents.stalls) != 1 {
		t.Error("it is not remembered after a minute")
	}
}

// waitingSays waits until the condition Waiting says that.
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

// A scheduler that does not run, or that there is none of, says nothing; so it is said for it.
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

// A Pod that a queue of jobs holds back is no news for a scheduler. The API server gives no time with what it says of it.
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
