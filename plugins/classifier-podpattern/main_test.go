package main

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/classifier-podpattern/podpattern"
)

func rule(code any, pattern any) map[string]any {
	return map[string]any{"podFailureSpec": []any{map[string]any{"code": code, "phrase": "P", "podPatterns": []any{pattern}}}}
}

func TestContract(t *testing.T) {
	parameters := rule(42, map[string]any{"reasonRegex": "^Evicted$"})
	options := plugintest.Options{
		Parameters: parameters,
		Pods: []*pluginpb.FailedPod{
			{Reason: "Evicted"},
			{Containers: []*pluginpb.Container{{Name: "c", Terminated: &pluginpb.Terminated{ExitCode: 7}}}},
			{Reason: "Other", Parameters: plugintest.Parameters(t, rule(43, map[string]any{}))},
		},
		Refused: []plugintest.Refused{
			{Parameters: map[string]any{"podFailureSpecs": []any{}}, Mention: "podFailureSpecs"},
			{Parameters: map[string]any{"podFailureSpec": "x"}, Mention: "podFailureSpec"},
			{Parameters: rule(205, map[string]any{}), Mention: "podFailureSpec[0].code"},
			{Parameters: rule("x", map[string]any{}), Mention: "podFailureSpec"},
			{Parameters: rule(42, nil), Mention: "podFailureSpec[0].podPatterns[0]"},
			{Parameters: rule(42, map[string]any{"nameRegex": "("}), Mention: "podFailureSpec[0].podPatterns[0].nameRegex"},
		},
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Classifier(t, plugintest.InProcess(podpattern.New), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Classifier(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}
