package main

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/completion-leader/leader"
)

func TestContract(t *testing.T) {
	named := func(leader map[string]any) map[string]any { return map[string]any{"leader": leader} }
	succeeded := &pluginpb.CompletedTask{Type: &pluginpb.CompletionType{Name: "Succeeded"}}
	options := plugintest.Options{
		Parameters: named(map[string]any{"role": "chief", "index": 0}),
		Attempts: []*pluginpb.DecideRequest{
			{Digest: "runs", Roles: []*pluginpb.RoleProgress{{Name: "chief", TaskNumber: 1}}},
			{Digest: "ends", Roles: []*pluginpb.RoleProgress{{Name: "chief", TaskNumber: 1, Completed: []*pluginpb.CompletedTask{succeeded}}}},
			{Digest: "another", Parameters: plugintest.Parameters(t, named(map[string]any{"role": "worker"})),
				Roles: []*pluginpb.RoleProgress{{Name: "worker", TaskNumber: 1}}},
		},
		RefusedAttempts: []plugintest.RefusedAttempt{
			{Mention: "leader.role", Question: &pluginpb.DecideRequest{Digest: "no role", Roles: []*pluginpb.RoleProgress{{Name: "chief", TaskNumber: 1}},
				Parameters: plugintest.Parameters(t, named(map[string]any{"role": "boss"}))}},
			{Mention: "leaders", Question: &pluginpb.DecideRequest{Digest: "unknown", Roles: []*pluginpb.RoleProgress{{Name: "chief", TaskNumber: 1}},
				Parameters: plugintest.Parameters(t, map[string]any{"leaders": "chief"})}},
		},
		Refused: []plugintest.Refused{
			{Parameters: map[string]any{"role": "chief"}, Mention: "role"},
			{Parameters: named(map[string]any{}), Mention: "leader.role"},
			{Parameters: named(map[string]any{"role": "chief", "index": -1}), Mention: "leader.index"},
			{Parameters: named(map[string]any{"role": "chief", "index": 0.5}), Mention: "leader.index"},
			{Parameters: named(map[string]any{"role": "chief", "task": 1}), Mention: "task"},
		},
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Policy(t, plugintest.InProcess(leader.New), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Policy(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}
