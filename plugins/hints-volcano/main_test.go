package main

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-volcano/volcano"
)

func TestContract(t *testing.T) {
	parameters := plugintest.Parameters(t, map[string]any{"queue": "research", "topologyTiers": map[string]any{"rack": 1}})
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
	topology := &pluginpb.Scheduling{Topology: []*pluginpb.Topology{{Key: "rack", Required: true}}}
	unknown := &pluginpb.Scheduling{Topology: []*pluginpb.Topology{{Key: "zone", Required: true}}}
	options := plugintest.Options{
		Parameters: map[string]any{"queue": "research"},
		Shapes: []*pluginpb.HintRequest{
			training("f", 4, nil), training("f", 0, nil), training("f", 4, topology), training("refused", 4, unknown),
		},
		Refused: []plugintest.Refused{
			{Parameters: map[string]any{"que": "research"}, Mention: "que"},
			{Parameters: map[string]any{"schedulerName": ""}, Mention: "schedulerName"},
			{Parameters: map[string]any{"topologyTiers": map[string]any{"rack": 0}}, Mention: "topologyTiers.rack"},
			{Parameters: map[string]any{"topologyTiers": map[string]any{"rack": "first"}}, Mention: "topologyTiers"},
		},
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Hints(t, plugintest.InProcess(volcano.New), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Hints(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}
