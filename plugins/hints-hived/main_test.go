package main

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-hived/hived"
)

func TestContract(t *testing.T) {
	worker := func(gpus string) []*pluginpb.RoleShape {
		return []*pluginpb.RoleShape{{Name: "worker", TaskNumber: 4, ContainerNames: []string{"main"}, Requests: map[string]string{"nvidia.com/gpu": gpus}}}
	}
	parameters := plugintest.Parameters(t, map[string]any{"virtualCluster": "VC1"})
	options := plugintest.Options{
		Parameters: map[string]any{"virtualCluster": "VC1", "priority": 1000},
		Shapes: []*pluginpb.HintRequest{
			{Framework: &pluginpb.Framework{Namespace: "n", Name: "f"}, Roles: worker("8"), Parameters: parameters},
			{Framework: &pluginpb.Framework{Namespace: "n", Name: "refused"}, Roles: worker("500m"), Parameters: parameters},
		},
		Refused: []plugintest.Refused{
			{Parameters: map[string]any{"virtualcell": "VC1"}, Mention: "virtualcell"},
			{Parameters: map[string]any{"priority": 1001}, Mention: "priority"},
			{Parameters: map[string]any{"priority": "high"}, Mention: "priority"},
			{Parameters: map[string]any{"priority": -1, "pinnedCellId": "VC1-PINNED"}, Mention: "pinnedCellId"},
			{Parameters: map[string]any{"schedulerName": ""}, Mention: "schedulerName"},
			{Parameters: map[string]any{"priorityClasses": map[string]any{"high": 1001}}, Mention: "priorityClasses.high"},
			{Parameters: map[string]any{"taskRoles": map[string]any{"worker": map[string]any{"leafCellNumber": 0}}}, Mention: "taskRoles.worker.leafCellNumber"},
		},
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Hints(t, plugintest.InProcess(hived.New), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Hints(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}
