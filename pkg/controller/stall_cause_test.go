package controller

import (
	"fmt"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// startsWith sets a kubelet's report about a Pod's containers, beginning at since.
func (w *world) startsWith(pod, since, reason, message string) {
	w.Set(apitest.Pods, pod, "node-1", "spec", "nodeName")
	w.Set(apitest.Pods, pod, since, "status", "startTime")
	w.Set(apitest.Pods, pod, []any{map[string]any{
		"name": "main", "state": map[string]any{"waiting": map[string]any{"reason": reason, "message": message}},
	}}, "status", "containerStatuses")
}

// An image that cannot be pulled is reported in words, once, however often the kubelet rewords it.
func TestImageThatCannotBePulled(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(2))
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.startsWith("a-w-1", longAgo, "ErrImagePull", "no such image")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because ImageNotPulled")
	w.warnedOnce("a", "ImageNotPulled")
	if facts := w.eventsOf("a", "ImageNotPulled")[0].Annotations; facts[reason.KeyTask] != "w-1" || facts[reason.KeyAttempt] != "0" {
		t.Errorf("the event has the annotations %v", facts)
	}
	w.eventually("the node is stored", func() bool { return *w.task("a", "w", 1).AttemptStatus.PodNodeName == "node-1" })
	writes := len(w.Requests(statusWrites))
	for n := range 20 {
		reason := []string{"ImagePullBackOff", "ErrImagePull"}[n%2]
		w.startsWith("a-w-1", longAgo, reason, fmt.Sprintf("try %d", n))
	}
	w.never("it is written again", func() bool { return len(w.Requests(statusWrites)) > writes || w.warnings("a")["ImageNotPulled"] > 1 })
}

// A Pod that has got a node has a minute to start, and costs no status write in it.
func TestPodThatDoesNotStart(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(2))
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.startsWith("a-w-0", time.Now().UTC().Add(-30*time.Second).Format(time.RFC3339), "ContainerCreating", "")
	w.never("it is told at once", func() bool { return w.condition("a", v1.ConditionWaiting) != "" })
	w.startsWith("a-w-1", longAgo, "ContainerCreating", "")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because PodNotStarted")
	w.warnedOnce("a", "PodNotStarted")
	w.RunPod("a-w-1")
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
}

// A Pod that starts is not remembered until it has taken too long. It is looked at again then, together with others.
func TestPodsThatStartAreNotRemembered(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_000_003, 0)
	r := &record{memory: memory{dependents: dependents{stalls: map[lifecycle.TaskRef]waiting.Stall{}}}}
	ref := lifecycle.TaskRef{Role: "w"}
	view := lifecycle.PodView{Pod: &lifecycle.Pod{UID: "u", StallCause: &waiting.Cause{Reason: reason.PodNotStarted, Since: start}}}
	r.noteStall(ref, view, start.Add(59*time.Second))
	if want := time.Unix(1_000_070, 0); len(r.dependents.stalls) > 0 || !r.schedule.retryAt.Equal(want) {
		t.Errorf("remembered: %v; looked at again at %s, want %s", r.dependents.stalls, r.schedule.retryAt, want)
	}
	r.noteStall(ref, view, r.schedule.retryAt)
	if len(r.dependents.stalls) != 1 {
		t.Error("it is not remembered after a minute")
	}
	view.Pod.StallCause = nil
	r.noteStall(ref, view, r.schedule.retryAt)
	if len(r.dependents.stalls) > 0 {
		t.Error("it is still remembered when it runs")
	}
}
