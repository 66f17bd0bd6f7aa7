package main

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-workload/workload"
)

func TestContract(t *testing.T) {
	shape := func(form string, s *pluginpb.Scheduling) *pluginpb.HintRequest {
		return &pluginpb.HintRequest{
			Framework:  &pluginpb.Framework{Namespace: "n", Name: "f"},
			Roles:      []*pluginpb.RoleShape{{Name: "ps", TaskNumber: 1, MinTaskCount: 1}, {Name: "worker", TaskNumber: 4, MinTaskCount: 2}},
			Scheduling: s, Parameters: plugintest.Parameters(t, map[string]any{"form": form}),
		}
	}
	options := plugintest.Options{
		Parameters: map[string]any{"form": "v1beta1"},
		Refused: []plugintest.Refused{
			{Parameters: map[string]any{"form": "v1"}, Mention: "form"},
			{Parameters: map[string]any{"form": "v1beta1", "queue": "q"}, Mention: "queue"},
		},
	}
	for _, form := range []string{"v1alpha1", "v1alpha2", "v1beta1"} {
		options.Shapes = append(options.Shapes, shape(form, nil),
			shape(form, &pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: 3}}),
			shape(form, &pluginpb.Scheduling{Queue: "q"}))
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Hints(t, plugintest.InProcess(workload.New), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Hints(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}
