// Command contrary is a plugin of the tests: a classifier to be put in shadow. It differs about most Pods, with verdicts that would change how
// a Framework ends if they counted, and answers too late about some.
package main

import (
	"context"
	"hash/fnv"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// tooLate is longer than the timeout that a test has to give the plugin.
const tooLate = 2 * time.Second

// classify goes by the UID of the Pod, so that it repeats itself when it is asked again.
func classify(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	h := fnv.New32a()
	h.Write([]byte(pod.GetUid()))
	other := plugin.Verdict(881, "SaidInShadow", plugin.Permanent)
	other.AvoidNode, other.ResourceFactor = plugin.AvoidNode(time.Hour, "SaidInShadow"), 4
	switch h.Sum32() % 8 {
	case 0:
		return nil, nil
	case 1:
		return plugin.Verdict(plugin.ExitCode(pod), "ContainerUnrecognizedFailed"), nil
	case 2:
		select {
		case <-time.After(tooLate):
		case <-ctx.Done():
		}
	case 3, 4:
		other.GiveUpAttempt = true
	case 5:
		other.DelaySeconds = new(int32(3600))
	}
	return other, nil
}

func main() {
	plugin.Serve(plugin.Plugin{Version: "1.0.0", FailureClassifier: plugin.ClassifierFunc(classify)})
}
