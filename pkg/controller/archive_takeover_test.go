package controller

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// states counts the records of Frameworks in a state by their UID.
func (s *sink) states(state string) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]int{}
	for _, r := range s.stored {
		if r.GetFrameworkRecord().GetState() == state {
			found[r.GetFramework().GetUid()]++
		}
	}
	return found
}

// attemptsOf counts the records of attempts by subject, without the UIDs of Tasks.
func (s *sink) attemptsOf(framework string) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]int{}
	for _, r := range s.stored {
		if r.GetFramework().GetName() != framework {
			continue
		}
		of := fmt.Sprintf("attempt %d", r.GetFramework().GetAttemptId())
		switch c := r.GetContent().(type) {
		case *pluginpb.Record_FrameworkAttempt:
			found[of]++
		case *pluginpb.Record_TaskAttempt:
			found[fmt.Sprintf("attempt %d of %s-%d in %s", c.TaskAttempt.GetTaskAttemptId(), c.TaskAttempt.GetTaskRole(), c.TaskAttempt.GetTaskIndex(), of)]++
		}
	}
	return found
}

// Controllers whose clocks jump back and forth archive each attempt once, with the same key and content.
func TestArchiveAcrossClocks(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	w.options.Plugins = consult.New(s, nil)
	w.create("a", frameworkRetries(1), taskRetries(1))
	for _, skew := range []time.Duration{0, -10 * time.Minute, 5 * time.Minute, -time.Hour} {
		w.startAt(skew)
		w.eventually("a Pod that runs", func() bool {
			pod := w.Get(apitest.Pods, "a-w-0")
			return pod != nil && pod.GetDeletionTimestamp() == nil && w.task("a", "w", 0).State == v1.AttemptPreparing
		})
		uid := w.Get(apitest.Pods, "a-w-0").GetUID()
		w.EndPod("a-w-0", 1)
		w.eventually("the Pod has gone", func() bool {
			pod := w.Get(apitest.Pods, "a-w-0")
			return pod == nil || pod.GetUID() != uid
		})
		w.stop()
	}
	w.startAt(-2 * time.Hour)
	w.eventually("the end is archived", func() bool { return len(s.states("Completed")) == 1 })
	want := map[string]int{"attempt 0": 1, "attempt 1": 1,
		"attempt 0 of w-0 in attempt 0": 1, "attempt 1 of w-0 in attempt 0": 1, "attempt 0 of w-0 in attempt 1": 1, "attempt 1 of w-0 in attempt 1": 1}
	if got := s.attemptsOf("a"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v", got)
	}
}

// A controller that has lost the lead sends late records that are equal to the records of its successor.
func TestArchiveAfterTakeover(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	w.startWith(s)
	w.create("a", taskRetries(1))
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.eventually("its first record is stored", func() bool { return len(s.states("AttemptCreationPending")) == 1 })
	late := s.holdNext()
	w.EndPod("a-w-0", 1)
	w.eventually("the record is on its way", s.holds)
	stopFirst, stopped := w.stop, make(chan struct{})
	go func() { stopFirst(); close(stopped) }()

	w.start()
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.eventually("the retry", func() bool { return w.task("a", "w", 0).AttemptStatus.ID == 1 })
	close(late)
	<-stopped
	w.EndPod("a-w-0", 0)
	w.eventually("the end is archived", func() bool { return len(s.states("Completed")) == 1 })
	want := map[string]int{"attempt 0": 1, "attempt 0 of w-0 in attempt 0": 1, "attempt 1 of w-0 in attempt 0": 1}
	if got := s.attemptsOf("a"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v", got)
	}
}

// Each use of a name is another Framework.
func TestArchiveOfOneNameManyTimes(t *testing.T) {
	t.Parallel()
	w, s := newWorld(t), newSink(t)
	w.startWith(s)
	const lives = 100
	var uids []string
	for range lives {
		w.create("a")
		w.eventually("it is known", func() bool { return w.state("a") == v1.AttemptPreparing })
		uids = append(uids, string(w.Get(apitest.Frameworks, "a").GetUID()))
		w.Delete(apitest.Frameworks, "a")
	}
	w.eventually("all are archived", func() bool { return len(s.states("Deleted")) == lives })
	for uid, times := range s.states("Deleted") {
		if times != 1 || !slices.Contains(uids, uid) {
			t.Errorf("%s: %d times, of %s", uid, times, strings.Join(uids, " "))
		}
	}
}
