package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// keepsLogs sets the logs of a Framework to be collected.
func keepsLogs(l v1.TaskLogsSpec) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.TaskRoles[0].Task.Logs = &l }
}

// atRest fails unless the Pod of a question exists, is not being deleted, and the decision about it is stored.
func (w *world) atRest(q *pluginpb.CollectLogsRequest) {
	pod, s := w.Get(apitest.Pods, q.GetPodName()), statusOf(w.Get(apitest.Frameworks, q.GetFramework().GetName()))
	if pod == nil || string(pod.GetUID()) != q.GetPodUid() || pod.GetDeletionTimestamp() != nil {
		w.t.Errorf("the Pod of %v is %v", q, pod)
	}
	task := taskOfStatus(s, q.GetTaskRole(), int(q.GetTaskIndex()))
	if task.AttemptStatus.CompletionStatus == nil || task.InstanceUID != q.GetTaskUid() || task.AttemptStatus.ID != q.GetTaskAttemptId() {
		w.t.Errorf("the Task of %v is %+v", q, task)
	}
}

// Logs are collected once the end of a Pod is stored, and before the Pod is deleted.
func TestLogs(t *testing.T) {
	inBubble(t, func(w *world) {
		s := newLogSink(w.t)
		s.behave = func(_ context.Context, q *pluginpb.CollectLogsRequest) error {
			w.atRest(q)
			return nil
		}
		w.create("a", taskRetries(1), keepsLogs(v1.TaskLogsSpec{TailBytes: new(int64(7)), Containers: []string{"main"}}))
		w.startWith(s)
		w.failsTimes(2)
		require.Equal(w.t, []string{"kept the logs of w-0 attempt 0 in attempt 0", "kept the logs of w-0 attempt 1 in attempt 0"}, s.logs())
		asked := s.questions()
		require.Len(w.t, asked, 2)
		q := asked[0]
		if c := q.GetContainers(); len(c) != 1 || c[0].GetName() != "main" || c[0].GetRunning() || q.GetSucceeded() {
			w.t.Errorf("asked about %v", q)
		}
		if wishes := q.GetWishes(); wishes.GetTailBytes() != 7 || wishes.HeadBytes != nil || !slices.Equal(wishes.GetContainers(), []string{"main"}) {
			w.t.Errorf("wishes are %v", wishes)
		}
	})
}

// The Pods that still run when an attempt ends are deleted with its ConfigMap, and their logs are collected before.
func TestLogsOfRunningPods(t *testing.T) {
	inBubble(t, func(w *world) {
		s := newLogSink(w.t)
		s.behave = func(_ context.Context, q *pluginpb.CollectLogsRequest) error {
			w.atRest(q)
			return nil
		}
		w.create("a", tasks(3))
		w.startWith(s)
		for i := range 3 {
			w.taskReaches("a", "w", i, v1.AttemptPreparing)
		}
		w.RunPod("a-w-0")
		w.RunPod("a-w-1")
		w.taskReaches("a", "w", 1, v1.AttemptRunning)
		w.EndPod("a-w-0", 1)
		w.reaches("a", v1.Completed)
		require.Equal(w.t, []string{"kept the logs of w-0 attempt 0 in attempt 0", "kept the logs of w-1 attempt 0 in attempt 0"}, s.logs())
		for _, q := range s.questions() {
			if c := q.GetContainers(); len(c) != 1 || c[0].GetName() != "main" || c[0].GetRunning() != (q.GetTaskIndex() == 1) {
				w.t.Errorf("asked about %v", q)
			}
		}
	})
}

// A sink that answers with an error delays nothing. A sink that does not answer delays the deletion of each Pod by five seconds.
func TestLogsThatCannotBeCollected(t *testing.T) {
	for name, test := range map[string]struct {
		behave func(context.Context, *pluginpb.CollectLogsRequest) error
		took   time.Duration
		missed LogsMissed
	}{
		"error": {func(context.Context, *pluginpb.CollectLogsRequest) error { return errors.New("no such log") }, 0, LogsFailed},
		"panic": {func(context.Context, *pluginpb.CollectLogsRequest) error { panic("on purpose") }, 0, LogsFailed},
		"hang": {func(ctx context.Context, _ *pluginpb.CollectLogsRequest) error {
			<-ctx.Done()
			return ctx.Err()
		}, logPatience, LogsTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.errorsExpected = name == "panic"
				s, n := newLogSink(w.t), &tally{}
				s.behave, w.options.Observer = test.behave, n
				w.create("a", taskRetries(1))
				w.startWith(s)
				began := time.Now()
				w.failsTimes(2)
				if took := time.Since(began); took < 2*test.took || took > 2*test.took+5*time.Second {
					w.t.Errorf("two attempts took %s", took)
				}
				if missed := n.of(fmt.Sprintf("logs not collected: %s", test.missed)); missed != 2 || len(s.questions()) != 2 {
					w.t.Errorf("%d missed: %s", missed, n)
				}
			})
		})
	}
}

// If more Pods end at once than questions are allowed, each is deleted after five seconds at the latest, and another Framework gets
// its turn meanwhile.
func TestLogsOfManyPods(t *testing.T) {
	const many = 150
	inBubble(t, func(w *world) {
		s, n := newLogSink(w.t), &tally{}
		s.behave = func(ctx context.Context, q *pluginpb.CollectLogsRequest) error {
			if q.GetFramework().GetName() == "b" {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		w.options.Observer = n
		w.create("a", tasks(many), policy(many, many))
		w.create("b", taskRetries(1))
		w.startWith(s)
		for i := range many {
			w.taskReaches("a", "w", i, v1.AttemptPreparing)
		}
		w.taskReaches("b", "w", 0, v1.AttemptPreparing)
		for i := range many {
			w.EndPod(v1.PodName("a", "w", int32(i)), 0)
		}
		began := time.Now()
		time.Sleep(time.Second)
		w.EndPod("b-w-0", 1)
		w.eventually("the retry of the other", func() bool { return w.task("b", "w", 0).AttemptStatus.ID == 1 })
		if took := time.Since(began); took > 3*time.Second {
			w.t.Errorf("the other waited until %s", took)
		}
		w.reaches("a", v1.Completed)
		if took := time.Since(began); took < logPatience || took > logPatience+10*time.Second {
			w.t.Errorf("all were deleted after %s", took)
		}
		busy, late := n.of("logs not collected: busy"), n.of("logs not collected: timeout")
		if busy+late != many || busy == 0 || late > logsAtATime {
			w.t.Errorf("%d busy, %d timed out", busy, late)
		}
	})
}

// A Framework that is stopped, or that collects no logs, does not wait for a hanging sink.
func TestLogsThatNobodyWaitsFor(t *testing.T) {
	hangs := func(ctx context.Context, _ *pluginpb.CollectLogsRequest) error {
		<-ctx.Done()
		return ctx.Err()
	}
	for name, end := range map[string]func(*world){
		"stop":      func(w *world) { w.running("a"); stopA(w) },
		"no policy": func(w *world) { w.running("a", keepsLogs(v1.TaskLogsSpec{Policy: v1.LogNone})); w.EndPod("a-w-0", 1) },
		"deleted by others": func(w *world) {
			w.running("a")
			w.Delete(apitest.Pods, "a-w-0")
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				s := newLogSink(w.t)
				s.behave = hangs
				w.startWith(s)
				end(w)
				began := time.Now()
				w.reaches("a", v1.Completed)
				if took := time.Since(began); took >= logPatience {
					w.t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// A sink that collects no logs is not asked, and nothing is remembered for it.
func TestSinkWithoutLogs(t *testing.T) {
	inBubble(t, func(w *world) {
		w.startWith(newSink(w.t))
		w.create("a", taskRetries(1), tasks(2))
		w.runs("a")
		w.EndPod("a-w-0", 1)
		w.eventually("the retry", func() bool { return w.task("a", "w", 0).AttemptStatus.ID == 1 })
		w.stop()
		for _, key := range w.c.queue.records.keys() {
			if l := w.c.queue.records.get(key).logs; l.collected != nil {
				w.t.Errorf("%s: %v", key, l)
			}
		}
	})
}
