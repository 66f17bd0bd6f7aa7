package main

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-exitcodes/exitcodes"
)

func TestContract(t *testing.T) {
	exited := func(code int32, reason string) []*pluginpb.Container {
		return []*pluginpb.Container{{Name: "c", Terminated: &pluginpb.Terminated{ExitCode: code, Reason: reason}}}
	}
	options := plugintest.Options{
		Parameters: map[string]any{
			"codes":           map[string]any{"1-127": map[string]any{"phrase": "Program"}},
			"namespaces":      map[string]any{"team-a": map[string]any{"42": map[string]any{"phrase": "TeamA"}}},
			"sameCodeOnNodes": map[string]any{"nodes": 2},
			"outOfMemory":     map[string]any{"times": 2},
		},
		Pods: []*pluginpb.FailedPod{
			{Containers: exited(42, "Error")},
			{Framework: &pluginpb.Framework{Namespace: "team-a"}, Containers: exited(42, "Error")},
			{Containers: exited(137, "OOMKilled")},
			{Node: "n1", Containers: exited(42, "Error"), Earlier: []*pluginpb.EarlierVerdict{{Code: 42, Node: "n2"}}},
		},
		RefusedPods: []plugintest.RefusedPod{{Mention: "codes: must be", Question: &pluginpb.FailedPod{
			Containers: exited(143, "Error"), Parameters: plugintest.Parameters(t, map[string]any{"codes": map[string]any{"x": map[string]any{}}})}}},
		Refused: []plugintest.Refused{
			{Parameters: map[string]any{"code": map[string]any{}}, Mention: "code"},
			{Parameters: map[string]any{"codes": map[string]any{"7": map[string]any{}}}, Mention: "codes.7.phrase"},
			{Parameters: map[string]any{"sameCodeOnNodes": map[string]any{"nodes": 1}}, Mention: "sameCodeOnNodes.nodes"},
		},
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Classifier(t, plugintest.InProcess(exitcodes.New), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Classifier(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}
