package controller

import (
	"context"
	"sync"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// retryAdviser gives every failure its own exit code and the same advice, and records the earlier attempts in its questions.
type retryAdviser struct {
	silentJudge
	advise func(*pluginpb.Verdict)

	mu      sync.Mutex
	earlier [][]*pluginpb.EarlierVerdict
}

func (a *retryAdviser) Classify(_ context.Context, _ string, pods []*pluginpb.FailedPod) (pluginhost.Verdicts, pluginhost.Source, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	given := map[string]*pluginpb.Verdict{}
	for _, pod := range pods {
		a.earlier = append(a.earlier, pod.GetEarlier())
		v := plugin.Verdict(plugin.ExitCode(pod), "Judged")
		v.Uid = pod.GetUid()
		if a.advise != nil {
			a.advise(v)
		}
		given[v.Uid] = v
	}
	return pluginhost.Verdicts{Given: given}, pluginhost.Source{Plugin: "judge"}, nil
}

func (a *retryAdviser) told() []*pluginpb.EarlierVerdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.earlier) == 0 {
		return nil
	}
	return a.earlier[len(a.earlier)-1]
}

// attemptRuns lets the Pod of the given attempt of Task a-w-index run.
func (w *world) attemptRuns(index int, attempt int32) {
	w.t.Helper()
	in := func(state v1.State) func() bool {
		return func() bool {
			s := w.task("a", "w", index)
			return s.AttemptStatus.ID == attempt && s.State == state
		}
	}
	w.eventually("its attempt has a Pod", in(v1.AttemptPreparing))
	w.RunPod(v1.PodName("a", "w", int32(index)))
	w.eventually("its attempt runs", in(v1.AttemptRunning))
}

// The earlier attempts in a classifier's question survive a failover: they are in the status.
func TestEarlierAttemptsOutlastAFailOver(t *testing.T) {
	t.Parallel()
	w, judge := newWorld(t), &retryAdviser{}
	w.startWith(judge)
	w.running("a", taskRetries(v1.RetryOnFailure))
	for attempt := range int32(10) {
		w.EndPod("a-w-0", int64(attempt+1))
		w.attemptRuns(0, attempt+1)
		if attempt%3 == 2 {
			w.restart()
		}
	}
	told := judge.told()
	if len(told) != v1.MaxEarlierAttempts {
		t.Fatalf("told %v", told)
	}
	for i, v := range told {
		if v.GetTaskAttemptId() != int32(i+1) || v.GetCode() != int32(i+2) || v.GetPhrase() != "Judged" || v.GetCompletionTime() == nil {
			t.Errorf("verdict %d is %v", i, v)
		}
	}
}

// Nobody has judged a Pod that others delete, so no classifier receives it as a verdict.
func TestEarlierAttemptsThatNobodyJudged(t *testing.T) {
	t.Parallel()
	w, judge := newWorld(t), &retryAdviser{}
	w.startWith(judge)
	w.running("a", taskRetries(v1.RetryOnFailure))
	w.Delete(apitest.Pods, "a-w-0")
	w.attemptRuns(0, 1)
	w.EndPod("a-w-0", 3)
	w.eventually("the one after that began", func() bool { return w.task("a", "w", 0).AttemptStatus.ID == 2 })
	if told, kept := judge.told(), w.task("a", "w", 0).EarlierAttempts; len(told) != 0 || len(kept) != 2 || kept[0].Code != -101 {
		t.Errorf("told %v; the status has %v", told, kept)
	}
}

// A plugin's advice on the retry is stored with its verdict, and followed even by a controller that has not heard it.
func TestAdviceOutlastsAFailOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith(&retryAdviser{advise: func(v *pluginpb.Verdict) {
		v.Restart, v.DelaySeconds = pluginpb.RestartScope_RESTART_SCOPE_ROLE, new(int32(2))
	}})
	w.running("a", tasks(2), taskRetries(1))
	w.attemptRuns(1, 0)
	w.EndPod("a-w-0", 3)
	w.eventually("it waits", func() bool { return w.task("a", "w", 0).RetryPolicyStatus.RetryDelaySec != nil })
	advice := w.task("a", "w", 0).AttemptStatus.CompletionStatus.Advice
	if advice == nil || advice.Restart != v1.RestartRole || *advice.DelaySec != 2 || advice.GiveUpAttempt {
		t.Errorf("the advice is stored as %+v", advice)
	}
	w.restart()
	w.eventually("both begin", func() bool {
		return w.task("a", "w", 0).AttemptStatus.ID == 1 && w.task("a", "w", 1).AttemptStatus.ID == 1
	})
	if peer := w.task("a", "w", 1); peer.RetryPolicyStatus.AccountableRetriedCount != 0 || peer.EarlierAttempts[0].Code != -240 {
		t.Errorf("the other Task: %+v", peer)
	}
}

// A plugin may give up the attempt of the Framework.
func TestAttemptIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith(&retryAdviser{advise: func(v *pluginpb.Verdict) { v.GiveUpAttempt = true }})
	w.running("a", tasks(2), policy(2, -1), taskRetries(v1.RetryAlways))
	w.EndPod("a-w-0", 3)
	w.reaches("a", v1.Completed)
	s := w.status("a").AttemptStatus.CompletionStatus
	if s.Code != 3 || s.Trigger == nil || s.Trigger.Message != "plugin judge gives up the attempt" {
		t.Errorf("it ended with %+v", s)
	}
}
