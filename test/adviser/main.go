// Command adviser is a plugin of the tests: a classifier that judges a container which has ended with code 1 as the parameters of the
// Framework specify, with advice about the retry. Without parameters it has no opinion.
package main

import (
	"context"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// advice is the verdict to give.
type advice struct {
	Code         int32                 `json:"code"`
	Restart      pluginpb.RestartScope `json:"restart"`
	DelaySeconds *int32                `json:"delaySeconds"`
	AvoidSeconds int32                 `json:"avoidSeconds"`
	GiveUp       bool                  `json:"giveUp"`
}

func classify(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	if pod.GetParameters() == nil || plugin.ExitCode(pod) != 1 {
		return nil, nil
	}
	var a advice
	if err := plugin.Decode(pod.GetParameters(), &a); err != nil {
		return plugin.RefuseVerdict(err), nil
	}
	v := plugin.Verdict(a.Code, "Advised")
	v.Restart, v.DelaySeconds, v.GiveUpAttempt = a.Restart, a.DelaySeconds, a.GiveUp
	if a.AvoidSeconds > 0 {
		v.AvoidNode = plugin.AvoidNode(time.Duration(a.AvoidSeconds)*time.Second, "it is told to say so")
	}
	return v, nil
}

func main() {
	plugin.Serve(plugin.Plugin{Version: "1.0.0", FailureClassifier: plugin.ClassifierFunc(classify)})
}
