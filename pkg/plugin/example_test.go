package plugin_test

import (
	"context"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A complete plugin: a Pod that exits with 42 is retried.
func ExampleServe() {
	plugin.Serve(plugin.Plugin{FailureClassifier: plugin.ClassifierFunc(judge)})
}

func judge(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	if plugin.ExitCode(pod) == 42 {
		return plugin.Verdict(42, "LicenseServerBusy", plugin.Transient), nil
	}
	return nil, nil
}
