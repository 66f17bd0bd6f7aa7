package plugin_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

func classify(t *testing.T, conn grpc.ClientConnInterface, pods ...*pluginpb.FailedPod) map[string]*pluginpb.Verdict {
	t.Helper()
	answer, err := pluginpb.NewFailureClassifierClient(conn).Classify(t.Context(), &pluginpb.ClassifyRequest{Pods: pods})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*pluginpb.Verdict{}
	for _, v := range answer.GetVerdicts() {
		out[v.GetUid()] = v
	}
	return out
}

// A pending Pod is judged by the PendingJudge, and a failed one by the classifier. A plugin may be either, or both, and
// states whether it judges pending Pods.
func TestPendingJudge(t *testing.T) {
	code := func(code int32) plugin.ClassifierFunc {
		return func(context.Context, *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
			return plugin.Verdict(code, "A"), nil
		}
	}
	wait := plugin.PendingJudgeFunc(func(context.Context, *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
		return plugin.Wait(time.Minute), nil
	})
	failed, pending := &pluginpb.FailedPod{Uid: "f"}, &pluginpb.FailedPod{Uid: "p", Pending: &pluginpb.PendingPod{}}
	for name, test := range map[string]struct {
		plugin plugin.Plugin
		judges bool
		failed int32
		wait   int32
	}{
		"classifier": {plugin.Plugin{FailureClassifier: code(7)}, false, 7, 0},
		"judge":      {plugin.Plugin{PendingJudge: wait}, true, 0, 60},
		"both":       {plugin.Plugin{FailureClassifier: code(7), PendingJudge: wait}, true, 7, 60},
	} {
		t.Run(name, func(t *testing.T) {
			conn := plugintest.InProcess(func() plugin.Plugin { return test.plugin })(t)
			described, err := pluginpb.NewPluginClient(conn).Describe(t.Context(), &pluginpb.DescribeRequest{})
			if err != nil || described.GetJudgesPending() != test.judges {
				t.Errorf("described as %v, %v", described, err)
			}
			verdicts := classify(t, conn, failed, pending)
			if verdicts["f"].GetCode() != test.failed || verdicts["p"].GetWaitSeconds() != test.wait || verdicts["p"].GetCode() != 0 {
				t.Errorf("got %v", verdicts)
			}
		})
	}
}

// PendingFor depends on the question, and not on a clock.
func TestPendingFor(t *testing.T) {
	pod := &pluginpb.FailedPod{Pending: &pluginpb.PendingPod{Since: &timestamppb.Timestamp{Seconds: 5}}}
	if got := plugin.PendingFor(pod); got != 0 {
		t.Errorf("without a time of the question: %s", got)
	}
	pod.Pending.Now = &timestamppb.Timestamp{Seconds: 65}
	if got := plugin.PendingFor(pod); got != time.Minute {
		t.Errorf("got %s", got)
	}
	if got := plugin.PendingFor(&pluginpb.FailedPod{}); got != 0 {
		t.Errorf("of a Pod that has failed: %s", got)
	}
}

// Every field of a verdict arrives, also if one message is the answer on several Pods.
func TestVerdictArrivesInFull(t *testing.T) {
	said := &pluginpb.Verdict{Code: 7, Phrase: "A", Type: plugin.Failed(), Diagnostics: "d", Rule: "r",
		AvoidNode: &pluginpb.AvoidNode{Seconds: 60, Reason: "bad"}, Restart: pluginpb.RestartScope_RESTART_SCOPE_ROLE, DelaySeconds: new(int32(5))}
	conn := plugintest.InProcess(func() plugin.Plugin {
		return plugin.Plugin{FailureClassifier: plugin.ClassifierFunc(func(context.Context, *pluginpb.FailedPod) (*pluginpb.Verdict, error) { return said, nil })}
	})(t)
	for uid, v := range classify(t, conn, &pluginpb.FailedPod{Uid: "a"}, &pluginpb.FailedPod{Uid: "b"}) {
		if v.GetUid() != uid || v.GetAvoidNode().GetReason() != "bad" || v.GetRestart() != said.Restart || v.GetDelaySeconds() != 5 {
			t.Errorf("got %v", v)
		}
	}
	if said.Uid != "" {
		t.Error("the plugin's own message was changed")
	}
}
