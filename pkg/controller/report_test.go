package controller

import (
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// However many of its Tasks fail, the completion of the Framework is reported to users in the end.
func TestManyFailuresDoNotHideTheEnd(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(40), func(s *v1.FrameworkSpec) { s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 40 })
	w.taskReaches("a", "w", 39, v1.AttemptPreparing)
	for i := range 40 {
		w.EndPod(fmt.Sprintf("a-w-%d", i), 1)
	}
	w.reaches("a", v1.Completed)
	w.eventually("the end is told", func() bool { return w.warnings("a")["Completed"] > 0 })
}

// The events about retries and ends have their facts as annotations, for programs.
func TestEventsHaveFacts(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", taskRetries(1))
	for i := range 2 {
		w.eventually("its Pod is there", func() bool {
			return w.task("a", "w", 0).AttemptStatus.ID == int32(i) && w.Get(apitest.Pods, "a-w-0") != nil
		})
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		w.RunPod("a-w-0")
		w.EndPod("a-w-0", 3)
	}
	w.reaches("a", v1.Completed)
	w.eventually("the end is told", func() bool { return len(w.eventsOf("a", string(reason.Completed))) > 0 })
	for why, want := range map[reason.Event]reason.Facts{
		reason.TaskRetried:      {Attempt: new(int32), Row: "R6", Node: "node"},
		reason.TaskFailed:       {Attempt: new(int32(1)), Row: "R7", Node: "node"},
		reason.AttemptCompleted: {Attempt: new(int32), Row: "R7"},
		reason.Completed:        {Attempt: new(int32), Row: "R7"},
	} {
		want.Tasks = []string{"w-0"}
		want = want.Ended(3, "ContainerUnrecognizedFailed")
		if found := w.eventsOf("a", string(why)); len(found) != 1 || !reflect.DeepEqual(reason.FactsOf(found[0].Annotations), want) {
			t.Errorf("%s: got %+v, want one with %+v", why, found, want.Annotations())
		}
	}
}

// Events about roles have the role, and a rescale has the numbers of Tasks.
func TestEventsOfRolesHaveFacts(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(3), func(s *v1.FrameworkSpec) { s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 40 })
	w.taskReaches("a", "w", 2, v1.AttemptPreparing)
	requireFacts := func(why reason.Event, n int, want reason.Facts) {
		t.Helper()
		w.eventually(string(why)+" is reported", func() bool { return len(w.eventsOf("a", string(why))) == n })
		for _, e := range w.eventsOf("a", string(why)) {
			if reflect.DeepEqual(reason.FactsOf(e.Annotations), want) {
				return
			}
		}
		t.Errorf("%s: none of %+v has %+v", why, w.eventsOf("a", string(why)), want.Annotations())
	}
	requireFacts(reason.FailureUnreachable, 1, reason.Facts{Role: "w"})
	w.editSpec("a", int64(5), "taskNumber")
	requireFacts(reason.Rescaled, 1, reason.Facts{Role: "w", Scale: &reason.Scale{From: 3, To: 5}})
	w.editSpec("a", int64(2), "taskNumber")
	requireFacts(reason.Rescaled, 2, reason.Facts{Role: "w", Scale: &reason.Scale{From: 5, To: 2}})
}

// endings counts the attempts of Frameworks that have completed.
type endings struct {
	unobserved
	frameworks atomic.Int64
}

func (e *endings) AttemptCompleted(of Subject, _ *v1.CompletionStatus) {
	if of == OfFramework {
		e.frameworks.Add(1)
	}
}

// The answer to the status write that ends the Framework is lost. Its reports are made once the write is found to be stored, and
// only once.
func TestLostStatusAnswerLosesNoReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	told := &endings{}
	w.options.Observer = told
	w.start()
	w.running("a")
	var lost atomic.Bool
	w.Judge(func(q apitest.Request) apitest.Fault {
		state, _, _ := unstructured.NestedString(q.Body, "status", "state")
		if q.Verb == "update" && q.Resource == "frameworks/status" && state == string(v1.Completed) && lost.CompareAndSwap(false, true) {
			return apitest.LoseAnswer
		}
		return apitest.Fault{}
	})
	w.EndPod("a-w-0", 5)
	w.reaches("a", v1.Completed)
	completed := func() (n int) {
		for _, e := range w.List(apitest.Events) {
			if reason, _, _ := unstructured.NestedString(e.Object, "reason"); reason == "Completed" {
				n++
			}
		}
		return n
	}
	w.eventually("its end is told", func() bool { return completed() == 1 && told.frameworks.Load() == 1 })
	w.never("it is told again", func() bool { return completed() > 1 || told.frameworks.Load() > 1 })
	if !lost.Load() {
		t.Error("no answer was lost")
	}
}

// Each reason has its budget, the last warning within it is marked, and long texts are not kept.
func TestWarnedIsBounded(t *testing.T) {
	t.Parallel()
	w, told, last := warned{}, 0, 0
	for i := range 10 * mostWarnings {
		first, isLast := w.isFirst("a", fmt.Sprint(i)+strings.Repeat("x", 9000), strings.Repeat("y", 9000))
		if first {
			told++
		}
		if isLast {
			last++
		}
	}
	if told != mostWarnings || last != 1 {
		t.Errorf("%d are told, %d of them as the last", told, last)
	}
	if first, _ := w.isFirst("b", "x", ""); !first {
		t.Error("another reason has no room")
	}
	if first, _ := w.isFirst("b", "x", ""); first {
		t.Error("the same is told twice")
	}
	if first, _ := w.isFirst("b", "x", "another occasion"); !first {
		t.Error("it is not told on another occasion")
	}
	size := 0
	for what, occasion := range w["a"] {
		size += len(what) + len(occasion)
	}
	if size > 2*mostWarnings*longestMessage {
		t.Errorf("%d bytes are remembered", size)
	}
}

// manyRoles adds n roles without Tasks that want more successes than they have Tasks.
func manyRoles(n int) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		s.TaskRoles = s.TaskRoles[:1]
		for i := range n {
			r := role(fmt.Sprintf("d%d", i), 0)
			r.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount = 1000
			s.TaskRoles = append(s.TaskRoles, r)
		}
	}
}

// However many roles have warnings, and however often the spec is edited, a few are reported, with the number of further ones;
// and warnings of the API server are reported, too.
func TestManySpecWarnings(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", template(`{"spec": {"privileged": true, "containers": [{"name": "main", "image": "none"}]}}`), manyRoles(150))
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.warnedOnce("a", "PodWarning")
	w.eventually("some are told", func() bool { return strings.Count(w.log.String(), "reason=SuccessUnreachable") == mostSpecWarnings+1 })
	if !strings.Contains(w.log.String(), "and 140 more roles") {
		t.Error("the others are not summed up")
	}
	const edits = 20
	for i := range edits {
		w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) {
			roles, _, _ := unstructured.NestedSlice(o.Object, "spec", "taskRoles")
			for _, r := range roles[1:] {
				_ = unstructured.SetNestedField(r.(map[string]any), int64(2000+i), "frameworkAttemptCompletionPolicy", "minSucceededTaskCount")
			}
			_ = unstructured.SetNestedSlice(o.Object, roles, "spec", "taskRoles")
			o.SetGeneration(o.GetGeneration() + 1)
		})
		want := w.Get(apitest.Frameworks, "a").GetGeneration()
		w.eventually("the edit is seen", func() bool { return w.status("a").ObservedGeneration == want })
	}
	w.stop()
	remembered := w.c.queue.records.get(w.key("a")).reported.warned["SuccessUnreachable"]
	if len(remembered) != mostSpecWarnings+1 {
		t.Errorf("%d are remembered", len(remembered))
	}
	if told := strings.Count(w.log.String(), "reason=SuccessUnreachable"); told != (edits+1)*mostSpecWarnings+1 {
		t.Errorf("%d are told in %d edits", told, edits)
	}
}
