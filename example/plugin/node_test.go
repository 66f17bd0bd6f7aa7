// Package plugin_test runs the examples that go test would not run by itself.
package plugin_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// installed returns the path of node, and a folder with the example and what it depends on.
func installed(t *testing.T) (node, dir string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("skipping: node is not installed")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("skipping: npm is not installed")
	}
	dir = filepath.Join(t.TempDir(), "node-classifier")
	// A copy, as others may install in the checkout at the same time.
	if err := os.CopyFS(dir, os.DirFS("node-classifier")); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")
	install.Dir = dir
	if output, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, output)
	}
	return node, dir
}

func exited(code int32) *pluginpb.FailedPod {
	return &pluginpb.FailedPod{Containers: []*pluginpb.Container{{Name: "c", Terminated: &pluginpb.Terminated{ExitCode: code}}}}
}

// pulling is a Pod whose image is not pulled, in the kubelet's words.
func pulling(words string) *pluginpb.FailedPod {
	return &pluginpb.FailedPod{Pending: &pluginpb.PendingPod{Kind: plugin.ImagePull, Message: words}}
}

func TestNodeClassifier(t *testing.T) {
	node, dir := installed(t)
	t.Run("own tests", func(t *testing.T) {
		own := exec.CommandContext(t.Context(), node, "--test")
		own.Dir = dir
		if output, err := own.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
	})
	t.Run("contract", func(t *testing.T) {
		plugintest.Classifier(t, plugintest.Binary(node, filepath.Join(dir, "plugin.js")), plugintest.Options{
			Pods: []*pluginpb.FailedPod{exited(42), pulling("app: not found"), pulling("toomanyrequests")},
			Refused: []plugintest.Refused{
				{Parameters: map[string]any{"exitCode": 0}, Mention: "exitCode"},
				{Parameters: map[string]any{"avoidNodeSeconds": -1}, Mention: "avoidNodeSeconds"},
				{Parameters: map[string]any{"exitcodes": []any{42}}, Mention: "exitcodes"},
			},
		})
	})
	t.Run("in the controller's host", func(t *testing.T) { testHosted(t, node, dir) })
	t.Run("started by hand", func(t *testing.T) {
		output, err := exec.CommandContext(t.Context(), node, filepath.Join(dir, "plugin.js")).CombinedOutput()
		if err == nil || !bytes.Contains(output, []byte("plugin of FrameworkController")) {
			t.Errorf("%v: %s", err, output)
		}
	})
}

// testHosted asks as the controller does, which is stricter about the handshake than the suite.
func testHosted(t *testing.T, node, dir string) {
	host := pluginhost.New(pluginhost.Options{})
	defer host.Stop()
	host.Reload([]pluginhost.Config{{
		Name: "node", Kind: plugin.KindFailureClassifier, Command: node, Args: []string{filepath.Join(dir, "plugin.js")},
		Files: map[string]string{filepath.Join(dir, "judge.js"): ""}, Parameters: map[string]any{"exitCode": 43},
	}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := host.AwaitReady(ctx, "node"); err != nil {
		t.Fatal(err)
	}
	pod := exited(43)
	pod.Uid = "uid"
	verdicts, source, err := host.Classify(ctx, "node", []*pluginpb.FailedPod{pod})
	if v := verdicts.Given["uid"]; err != nil || v.GetCode() != 43 || source.Version != "1.2.0" {
		t.Errorf("%v, %v, %v", v, source, err)
	}
}

// The example has a copy of the contract, so that it can be taken elsewhere.
func TestNodeClassifierHasTheContract(t *testing.T) {
	contract, err := os.ReadFile("../../pkg/plugin/pluginpb/plugin.proto")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile("node-classifier/proto/plugin.proto")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contract, copied) {
		t.Error("node-classifier/proto/plugin.proto is not pkg/plugin/pluginpb/plugin.proto: copy it")
	}
}
