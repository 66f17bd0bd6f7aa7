package controller

import (
	"slices"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A completed Task is sent long before the attempt ends, with the facts that only its Pod had, and not again with the attempt.
func TestCompletedTasksAreSentEarly(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	w.create("a", tasks(2), policy(-1, 2))
	w.startWith(s)
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.EndPod("a-w-0", 0)
	first := func() (r *pluginpb.TaskAttemptRecord) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range s.stored {
			if a := r.GetTaskAttempt(); a != nil && a.GetTaskIndex() == 0 {
				return a
			}
		}
		return nil
	}
	w.eventually("the record of the first Task", func() bool { return first() != nil })
	if state := w.state("a"); state == v1.Completed || state == v1.AttemptCompleted {
		t.Fatalf("the Framework is %s", state)
	}
	if a := first(); a.GetPodCreated() == nil || a.GetObjectDigest() == "" || a.GetRetry().GetFollows() {
		t.Errorf("got %v", a)
	}
	r := w.c.queue.records.get(w.key("a"))
	w.EndPod("a-w-1", 0)
	w.eventually("the end is archived", func() bool { return slices.Contains(s.attempts(), "archived as Completed") })
	w.stop()
	if len(r.archive.pods) > 0 || r.archive.sent != nil {
		t.Errorf("it is kept: %+v", r.archive)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.repeated != 0 {
		t.Errorf("%d records of attempts of Tasks were sent twice", s.repeated)
	}
}

// A record that a sink does not store early is sent with the attempt.
func TestEarlyRecordsMayFail(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	s.setBroken(true)
	w.create("a", tasks(2), policy(-1, 2))
	w.startWith(s)
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.EndPod("a-w-0", 0)
	w.eventually("a try", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.calls > 1
	})
	s.setBroken(false)
	w.EndPod("a-w-1", 0)
	w.eventually("both are archived", func() bool {
		got := s.attempts()
		return slices.Contains(got, "archived w-0 attempt 0 in attempt 0: 0 Succeeded, last R7") && slices.Contains(got, "archived w-1 attempt 0 in attempt 0: 0 Succeeded, last R7")
	})
}
