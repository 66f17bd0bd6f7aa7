package main

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-kueue/kueue"
)

func TestContract(t *testing.T) {
	parameters := plugintest.Parameters(t, map[string]any{"queue": "research"})
	training := func(name string, workers int32, s *pluginpb.Scheduling) *pluginpb.HintRequest {
		return &pluginpb.HintRequest{
			Framework:  &pluginpb.Framework{Namespace: "n", Name: name},
			Parameters: parameters, Scheduling: s,
			Roles: []*pluginpb.RoleShape{
				{Name: "chief", TaskNumber: 1, Requests: map[string]string{"cpu": "500m"}, ContainerNames: []string{"main"}},
				{Name: "worker", TaskNumber: workers, Requests: map[string]string{"nvidia.com/gpu": "8"}, ContainerNames: []string{"main"}},
			},
		}
	}
	unknown := &pluginpb.Scheduling{PriorityClassName: "high"}
	options := plugintest.Options{
		Parameters: map[string]any{"queue": "research"},
		Shapes:     []*pluginpb.HintRequest{training("f", 4, nil), training("f", 0, nil), training("refused", 4, unknown)},
		Refused: []plugintest.Refused{
			{Parameters: map[string]any{"que": "research"}, Mention: "que"},
			{Parameters: map[string]any{"maxPodSets": 19}, Mention: "maxPodSets"},
			{Parameters: map[string]any{"priorities": map[string]any{"high": "most"}}, Mention: "priorities"},
			{Parameters: map[string]any{"flavors": map[string]any{"a": map[string]any{"tolerations": []any{map[string]any{"kee": "gpu"}}}}}, Mention: "kee"},
		},
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Hints(t, plugintest.InProcess(kueue.New), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Hints(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}
