package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

func startDeadline(d v1.StartDeadlineSpec) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) {
		for i := range s.TaskRoles {
			s.TaskRoles[i].Task.StartDeadline = &d
		}
	}
}

// endsAs waits until a Task has completed, and checks its code and when it was decided.
func (w *world) endsAs(index int, code int32, after time.Duration, began time.Time) {
	w.t.Helper()
	w.eventually(fmt.Sprintf("Task %d has ended", index), func() bool { return w.task("a", "w", index).State == v1.Completed })
	a := w.task("a", "w", index).AttemptStatus
	if a.CompletionStatus.Code != code {
		w.t.Errorf("code %d %s: %s", a.CompletionStatus.Code, a.CompletionStatus.Phrase, a.CompletionStatus.Diagnostics)
	}
	if took := a.CompletionTime.Sub(began); took < after-time.Second || took > after+2*time.Second {
		w.t.Errorf("it has taken %s, want %s", took, after)
	}
}

// counting waits until something keeps the Pod of a Task from running, and returns since when.
func (w *world) counting(index int, of func(*v1.PendingSince) *metav1.Time) (since time.Time) {
	w.t.Helper()
	w.eventually("what keeps the Pod is stored", func() bool {
		p := w.task("a", "w", index).AttemptStatus.PendingSince
		if p == nil || of(p) == nil {
			return false
		}
		since = of(p).Time
		return true
	})
	return since
}

// Hundreds of Tasks that time out in the same second are decided in few rounds, and so in few status writes.
func TestManyTasksTimeOutAtOnce(t *testing.T) {
	const many = 200 // each request is audited against a status with all of them
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", tasks(many), policy(-1, -1), startDeadline(v1.StartDeadlineSpec{UnscheduledSec: 20}))
		w.eventually("all Pods are there", func() bool { return len(w.List(apitest.Pods)) == many })
		time.Sleep(10 * time.Second) // all of them are stored as seen
		before := len(w.Requests(statusWrites))
		time.Sleep(20 * time.Second)
		w.reaches("a", v1.Completed)
		if c := w.status("a").Tasks; c.Failed != many {
			t.Errorf("%d of %d have failed", c.Failed, many)
		}
		if writes := len(w.Requests(statusWrites)) - before; writes > 30 {
			t.Errorf("%d status writes", writes)
		}
		if deletions := len(w.Requests("delete pods")); deletions > many+many/10 {
			t.Errorf("%d deletions of Pods", deletions)
		}
	})
}

// A controller that takes over goes on counting, though the words of the kubelet, and the containers that run well, are all that
// a cache keeps of a Pod.
func TestStartDeadlineAfterTakeover(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.create("a", tasks(2), policy(-1, -1), startDeadline(v1.StartDeadlineSpec{ImagePullSec: 20, NotRunningSec: 10}))
		w.taskReaches("a", "w", 1, v1.AttemptPreparing)
		for _, pod := range []string{"a-w-0", "a-w-1"} {
			w.Set(apitest.Pods, pod, []any{map[string]any{"name": "i", "state": map[string]any{"running": map[string]any{}}}}, "status", "initContainerStatuses")
		}
		w.startsWith("a-w-1", longAgo, "ErrImagePull", "no such image")
		w.Set(apitest.Pods, "a-w-1", []any{}, "status", "initContainerStatuses")
		began := w.counting(1, func(p *v1.PendingSince) *metav1.Time { return p.NotRunning })
		w.Set(apitest.Pods, "a-w-0", "node-1", "spec", "nodeName")
		time.Sleep(5 * time.Second)
		w.restart()
		w.endsAs(1, -133, 10*time.Second, began)
		if p := w.task("a", "w", 0); p.AttemptStatus.PendingSince != nil || p.AttemptStatus.CompletionStatus != nil {
			t.Errorf("its init container runs: %+v", p)
		}
	})
}

// lateJudge is a host with one classifier, which judges Pods that do not get to run.
type lateJudge struct {
	consult.Host
	judge func(*pluginpb.FailedPod) *pluginpb.Verdict

	mu    *sync.Mutex
	asked *[]*pluginpb.FailedPod
}

func newLateJudge(judge func(*pluginpb.FailedPod) *pluginpb.Verdict) lateJudge {
	return lateJudge{judge: judge, mu: &sync.Mutex{}, asked: &[]*pluginpb.FailedPod{}}
}

func (lateJudge) Plugins(kind plugin.Kind) []string {
	if kind == plugin.KindFailureClassifier {
		return []string{"late"}
	}
	return nil
}

func (lateJudge) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: "late", Kind: plugin.KindFailureClassifier}, name == "late"
}

func (lateJudge) JudgesPending(string) bool { return true }
func (lateJudge) WantsEvents(string) bool   { return false }

func (j lateJudge) Classify(_ context.Context, _ string, pods []*pluginpb.FailedPod) (pluginhost.Verdicts, pluginhost.Source, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := pluginhost.Verdicts{Given: map[string]*pluginpb.Verdict{}}
	for _, pod := range pods {
		*j.asked = append(*j.asked, pod)
		if v := j.judge(pod); v != nil {
			v.Uid = pod.GetUid()
			out.Given[pod.GetUid()] = v
		}
	}
	return out, pluginhost.Source{Plugin: "late", Version: "1"}, nil
}

func (j lateJudge) questions() []*pluginpb.FailedPod {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]*pluginpb.FailedPod(nil), *j.asked...)
}

// Plugins are asked about a Pod that does not get to run after some seconds, are told all of it, and are asked again when the time
// is over that they let it take, also by a controller that takes over. Nobody is asked about a role without a startDeadline.
func TestPluginsJudgeLateStarts(t *testing.T) {
	inBubble(t, func(w *world) {
		times := 0
		judge := newLateJudge(func(pod *pluginpb.FailedPod) *pluginpb.Verdict {
			if times++; times < 3 {
				return plugin.Wait(15 * time.Second)
			}
			return nil
		})
		w.startWith(judge)
		w.create("a", tasks(1), startDeadline(v1.StartDeadlineSpec{ImagePullSec: 10}))
		w.create("b", tasks(1))
		w.taskReaches("a", "w", 0, v1.AttemptPreparing)
		w.taskReaches("b", "w", 0, v1.AttemptPreparing)
		w.startsWith("a-w-0", longAgo, "ErrImagePull", "no such image")
		w.startsWith("b-w-0", longAgo, "ErrImagePull", "no such image")
		began := w.counting(0, func(p *v1.PendingSince) *metav1.Time { return p.ImagePull })
		time.Sleep(8 * time.Second)
		w.restart() // asks at once, and is to wait until 15 seconds after that
		w.endsAs(0, -131, 23*time.Second, began)
		asked := judge.questions()
		if len(asked) != 3 {
			t.Fatalf("asked %d times", len(asked))
		}
		for _, q := range asked {
			p := q.GetPending()
			if q.GetFramework().GetName() != "a" || p.GetKind() != plugin.ImagePull || p.GetReason() != "ErrImagePull" || p.GetMessage() != "no such image" ||
				p.GetContainer() != "main" || !p.GetSince().AsTime().Equal(began) || !p.GetDeadline().AsTime().Equal(began.Add(10*time.Second)) {
				t.Errorf("asked about %v", q)
			}
			if q.GetLabels()[v1.KeyTaskRoleName] != "w" || len(q.GetContainers()) != 1 || q.GetContainers()[0].GetWaitingReason() != "ErrImagePull" {
				t.Errorf("it is not told all of the Pod: %v", q)
			}
		}
		if w.task("b", "w", 0).AttemptStatus.CompletionStatus != nil {
			t.Error("a Task without a startDeadline has ended")
		}
	})
}

// What a plugin says ends the attempt at once, with its name; what it says of a Pod that runs by then is dropped.
func TestPluginGivesUpAStart(t *testing.T) {
	inBubble(t, func(w *world) {
		w.startWith(newLateJudge(func(*pluginpb.FailedPod) *pluginpb.Verdict {
			return plugin.Verdict(1000, "NoSuchImage", plugin.Permanent)
		}))
		w.create("a", tasks(2), policy(-1, -1), startDeadline(v1.StartDeadlineSpec{ImagePullSec: 600}))
		w.taskReaches("a", "w", 1, v1.AttemptPreparing)
		for _, pod := range []string{"a-w-0", "a-w-1"} {
			w.startsWith(pod, longAgo, "ErrImagePull", "no such image")
		}
		began := w.counting(1, func(p *v1.PendingSince) *metav1.Time { return p.ImagePull })
		w.RunPod("a-w-0")
		w.endsAs(1, 1000, 5*time.Second, began)
		s := w.task("a", "w", 1).AttemptStatus.CompletionStatus
		if s.Source == nil || s.Source.Plugin != "late" || s.Diagnostics == "" {
			t.Errorf("got %+v", s)
		}
		if first := w.task("a", "w", 0); first.State != v1.AttemptRunning {
			t.Errorf("it runs, and is %s", first.State)
		}
	})
}

// downJudge is a classifier whose answer everybody waits for, and that does not answer.
type downJudge struct{ lateJudge }

func (downJudge) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: "late", Kind: plugin.KindFailureClassifier, FailurePolicy: pluginhost.Wait}, name == "late"
}

func (j downJudge) Classify(_ context.Context, _ string, pods []*pluginpb.FailedPod) (pluginhost.Verdicts, pluginhost.Source, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := pluginhost.Verdicts{Faults: map[string]*pluginhost.Fault{}}
	for _, pod := range pods {
		*j.asked = append(*j.asked, pod)
		out.Faults[pod.GetUid()] = &pluginhost.Fault{}
	}
	return out, pluginhost.Source{Plugin: "late"}, errors.New("down")
}

// A plugin that is down is asked again and again about a Pod that does not get to run. The Framework says all the time that it waits
// for the plugin, also while its other Tasks have rounds, and as long as nothing else is new, its status is not written.
func TestWaitingForAVerdictOnAStartIsNoNews(t *testing.T) {
	inBubble(t, func(w *world) {
		judge := downJudge{newLateJudge(nil)}
		w.startWith(judge)
		w.create("a", tasks(4), policy(-1, -1), startDeadline(v1.StartDeadlineSpec{ImagePullSec: 3600}))
		w.taskReaches("a", "w", 3, v1.AttemptPreparing)
		w.startsWith("a-w-0", longAgo, "ErrImagePull", "no such image")
		waits := func() bool {
			return strings.HasPrefix(w.condition("a", v1.ConditionWaiting), "True because PluginUnavailable")
		}
		w.eventually("it waits", waits)
		time.Sleep(10 * time.Second)

		writes, asked := len(w.Requests(statusWrites)), len(judge.questions())
		for range 60 {
			time.Sleep(500 * time.Millisecond)
			if !waits() {
				t.Fatalf("the condition is %s", w.condition("a", v1.ConditionWaiting))
			}
		}
		if n := len(w.Requests(statusWrites)) - writes; n > 0 {
			t.Errorf("%d status writes without news", n)
		}
		if n := len(judge.questions()) - asked; n < 10 {
			t.Errorf("asked %d times in 30 seconds", n)
		}

		for i := 1; i < 4; i++ {
			w.RunPod(fmt.Sprintf("a-w-%d", i))
			w.taskReaches("a", "w", i, v1.AttemptRunning)
			if !waits() {
				t.Errorf("another Task runs, and the condition is %s", w.condition("a", v1.ConditionWaiting))
			}
		}
		w.RunPod("a-w-0")
		w.eventually("it waits no longer", func() bool { return !waits() })
	})
}
