package pluginhost

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func pendingPod(n int, says string) *pluginpb.FailedPod {
	p := pod(n, "")
	p.Pending = &pluginpb.PendingPod{Kind: plugin.ImagePull, Message: says}
	return p
}

// A process is asked about Pods that do not get to run if it declares that it judges them, and gets events if it declares that it wants
// them. Another process is not, even if the Pods come with others, and leaving them out is no fault.
func TestJudgesPending(t *testing.T) {
	w := newWorld(t, config("old", "sdk"), config("new", "pending"))
	pods := []*pluginpb.FailedPod{pod(0, ""), pendingPod(1, "1m"), pendingPod(2, "")}
	for name, wait := range map[string]int32{"old": 0, "new": 60} {
		v, source, err := w.Classify(context.Background(), name, pods)
		if err != nil || v.Given["uid-0"].GetCode() != 42 || v.Given["uid-1"].GetWaitSeconds() != wait || v.Given["uid-2"] != nil || len(v.Faults) > 0 {
			t.Errorf("%s: %v, %v, %v", name, v, source, err)
		}
		if w.JudgesPending(name) != (wait > 0) {
			t.Errorf("%s judges pending Pods: %t", name, w.JudgesPending(name))
		}
		if w.WantsEvents(name) != (name == "new") {
			t.Errorf("%s wants events: %t", name, w.WantsEvents(name))
		}
	}
	// With nothing to ask no call is made.
	calls := len(w.calls)
	v, _, err := w.Classify(context.Background(), "old", pods[1:])
	if err != nil || len(v.Given)+len(v.Faults) > 0 || len(w.calls) != calls {
		t.Errorf("%v, %v, %d calls", v, err, len(w.calls)-calls)
	}
	v, _, err = w.Classify(context.Background(), "new", []*pluginpb.FailedPod{pendingPod(3, "25h"), pendingPod(4, "1m")})
	require.NoError(t, err)
	wantFault(t, v.Faults["uid-3"], Invalid, "wait_seconds is 90000, and must be from 1 to 86400")
	if v.Given["uid-4"].GetWaitSeconds() != 60 {
		t.Errorf("the other has no verdict: %v", v)
	}
}

// Until a process has declared which Pods it judges, it may judge pending ones. It gets no events until then.
func TestJudgesPendingIsUnknown(t *testing.T) {
	w := newWorld(t, config("p", "exit"), config("policy", "rpc"))
	if w.WantsEvents("p") || w.WantsEvents("policy") || w.WantsEvents("no such") {
		t.Error("events are wanted")
	}
	if !w.JudgesPending("p") || w.JudgesPending("no such") {
		t.Errorf("p %t, no such %t", w.JudgesPending("p"), w.JudgesPending("no such"))
	}
}
