package controller

import (
	"maps"
	"slices"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// The history has each attempt once, with the facts that only its Pod had.
func TestArchive(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	w.create("a", frameworkRetries(1), taskRetries(1))
	w.startWith(s)
	w.failsTimes(4)
	w.eventually("the end is archived", func() bool { return slices.Contains(s.attempts(), "archived as Completed") })
	want := []string{
		"archived as Completed",
		"archived attempt 0: 1 ContainerUnrecognizedFailed, retried R6",
		"archived attempt 1: 1 ContainerUnrecognizedFailed, last R7",
		"archived w-0 attempt 0 in attempt 0 judged: 1",
		"archived w-0 attempt 0 in attempt 0: 1 ContainerUnrecognizedFailed, retried R6",
		"archived w-0 attempt 0 in attempt 1 judged: 1",
		"archived w-0 attempt 0 in attempt 1: 1 ContainerUnrecognizedFailed, retried R6",
		"archived w-0 attempt 1 in attempt 0 judged: 1",
		"archived w-0 attempt 1 in attempt 0: 1 ContainerUnrecognizedFailed, last R7",
		"archived w-0 attempt 1 in attempt 1 judged: 1",
		"archived w-0 attempt 1 in attempt 1: 1 ContainerUnrecognizedFailed, last R7",
	}
	if got := s.attempts(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	objects := map[string]string{}
	for key, r := range s.stored {
		if a := r.GetTaskAttempt(); a != nil && (a.GetPodCreated() == nil || len(a.GetContainers()) != 1 || a.GetDeletionCause() == "") {
			t.Errorf("%s: %v", key, a)
		}
		if v := r.GetVerdict(); v != nil && (len(v.GetQuestion().GetConditions()) == 0 && len(v.GetQuestion().GetLabels()) == 0) {
			t.Errorf("%s has not the question about the Pod: %v", key, v)
		}
		if o := r.GetObject(); o != nil {
			objects[o.GetDigest()] = o.GetKind()
		}
	}
	if got := slices.Sorted(maps.Values(objects)); !slices.Equal(got, []string{"Framework", "Pod"}) {
		t.Errorf("the objects of four equal Pods and their Framework are %q", got)
	}
	for key, r := range s.stored {
		if a := r.GetTaskAttempt(); a != nil && objects[a.GetObjectDigest()] != "Pod" {
			t.Errorf("%s refers to no object: %v", key, a)
		}
	}
}

// A sink with the policy Wait delays a retry, and the Framework reports that. A stop does not wait.
func TestArchiveWaits(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	s.setBroken(true)
	w.create("a", taskRetries(2))
	w.startWith(s)
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.EndPod("a-w-0", 1)
	w.conditionBecomes("a", v1.ConditionWaiting, "True because PluginUnavailable")
	if task := taskOfStatus(statusOf(w.Get(apitest.Frameworks, "a")), "w", 0); task.State != v1.AttemptCompleted {
		t.Errorf("the Task is in %s", task.State)
	}
	s.setBroken(false)
	w.eventually("the retry", func() bool {
		task := taskOfStatus(statusOf(w.Get(apitest.Frameworks, "a")), "w", 0)
		return task.AttemptStatus.ID == 1 && task.State == v1.AttemptPreparing
	})
	s.setBroken(true)
	w.EndPod("a-w-0", 1)
	stopA(w)
	w.eventually("the end", func() bool { return statusOf(w.Get(apitest.Frameworks, "a")).State == v1.Completed })
}

// A sink with the policy Drop delays a retry by its timeout at most, and an event reports the loss.
func TestArchiveDrops(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	s.policy = pluginhost.Drop
	s.setBroken(true)
	w.create("a", taskRetries(1))
	w.startWith(s)
	w.failsTimes(2)
	w.eventually("the end", func() bool { return statusOf(w.Get(apitest.Frameworks, "a")).State == v1.Completed })
	w.warnedOnce("a", "HistoryDropped")
}

// A stop waits for no sink, and still the history has the attempt dropped by the stop, whose retry was not due yet.
func TestArchiveOfStoppedAttempt(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	w.create("a", frameworkRetries(1), frameworkDelay(3600))
	w.startWith(s)
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.EndPod("a-w-0", 1)
	w.eventually("the delay", func() bool { return w.state("a") == v1.AttemptCompleted })
	stopA(w)
	w.reaches("a", v1.Completed)
	want := []string{
		"archived as Completed",
		"archived attempt 0: 1 ContainerUnrecognizedFailed, retried R6",
		"archived attempt 1: -210 StopFrameworkRequested, last R0",
		"archived w-0 attempt 0 in attempt 0 judged: 1",
		"archived w-0 attempt 0 in attempt 0: 1 ContainerUnrecognizedFailed, last R7",
		"archived w-0 attempt 0 in attempt 1: -220 FrameworkAttemptCompletion, last R0",
	}
	if !w.within(patience, func() bool { return slices.Equal(s.attempts(), want) }) {
		t.Errorf("got %q", s.attempts())
	}
}

// The history has the last state of a deleted Framework.
func TestArchiveOfTheDeleted(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	w.create("a")
	w.startWith(s)
	w.eventually("a Pod", func() bool { return len(w.List(apitest.Pods)) == 1 })
	w.Delete(apitest.Frameworks, "a")
	deleted := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range s.stored {
			if r.GetFrameworkRecord().GetState() == "Deleted" {
				return true
			}
		}
		return false
	}
	w.eventually("its record", deleted)
}

// When the gate of a role opens that starts after another role, the opening is archived.
func TestOpenedGateIsArchived(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	w.create("a", roles(role("w", 1), role("x", 1)), func(f *v1.FrameworkSpec) { f.TaskRoles[1].StartAfter = []v1.StartAfterSpec{{Role: "w"}} })
	w.startWith(s)
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	opened := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range s.stored {
			if h := r.GetHappening(); h.GetReason() == "GateOpened" && h.GetFacts()["role"] == "x" {
				return true
			}
		}
		return false
	}
	if opened() {
		t.Error("the gate is open before the role runs")
	}
	w.RunPod("a-w-0")
	w.eventually("the gate of role x is in the history", opened)
}

// Without a sink, no facts about Pods are kept.
func TestNoArchive(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", taskRetries(1))
	w.failsTimes(2)
	w.eventually("the end", func() bool { return statusOf(w.Get(apitest.Frameworks, "a")).State == v1.Completed })
	time.Sleep(10 * time.Millisecond)
	w.stop()
	for _, key := range w.c.queue.records.keys() {
		if a := w.c.queue.records.get(key).archive; a.pods != nil || a.done.Attempt != nil {
			t.Errorf("%s: %+v", key, a)
		}
	}
}
