package main

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/hints-yunikorn/yunikorn"
)

func TestContract(t *testing.T) {
	shape := func(s *pluginpb.Scheduling) *pluginpb.HintRequest {
		return &pluginpb.HintRequest{
			Framework:  &pluginpb.Framework{Namespace: "n", Name: "f"},
			Roles:      []*pluginpb.RoleShape{{Name: "worker", TaskNumber: 4, Requests: map[string]string{"cpu": "1"}}},
			Scheduling: s,
		}
	}
	options := plugintest.Options{
		Parameters: map[string]any{"queue": "root.default"},
		Shapes:     []*pluginpb.HintRequest{shape(nil), shape(&pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: 3}})},
		Refused: []plugintest.Refused{
			{Parameters: map[string]any{"schedulerName": ""}, Mention: "schedulerName"},
			{Parameters: map[string]any{"gangSchedulingStyle": "Medium"}, Mention: "gangSchedulingStyle"},
			{Parameters: map[string]any{"placeholderTimeoutInSeconds": -1}, Mention: "placeholderTimeoutInSeconds"},
			{Parameters: map[string]any{"que": "q"}, Mention: "que"},
		},
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Hints(t, plugintest.InProcess(yunikorn.New), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Hints(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}
