package plugintest_test

import (
	"context"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// The test of a classifier by its author: that it keeps to the contract in process, and as the program that is shipped.
func ExampleClassifier() {
	build := func() plugin.Plugin {
		return plugin.Plugin{FailureClassifier: plugin.ClassifierFunc(
			func(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
				if plugin.ExitCode(pod) != 42 {
					return nil, nil // no opinion
				}
				return plugin.Verdict(42, "LicenseServerBusy", plugin.Transient), nil
			})}
	}
	_ = func(t *testing.T) { // func TestContract(t *testing.T)
		plugintest.Classifier(t, plugintest.InProcess(build), plugintest.Options{})
		plugintest.Classifier(t, plugintest.Binary(plugintest.Build(t, ".")), plugintest.Options{})
	}
}
