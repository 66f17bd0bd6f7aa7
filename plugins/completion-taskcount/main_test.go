package main

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/completion-taskcount/thresholds"
)

func TestContract(t *testing.T) {
	failed := &pluginpb.CompletedTask{Index: 1, Code: 7, Type: &pluginpb.CompletionType{Name: "Failed"}}
	options := plugintest.Options{
		Attempts: []*pluginpb.DecideRequest{
			{Digest: "d", Roles: []*pluginpb.RoleProgress{{Name: "worker", TaskNumber: 3, MinFailedTaskCount: 1, MinSucceededTaskCount: -1, Completed: []*pluginpb.CompletedTask{failed}}}},
		},
		RefusedAttempts: []plugintest.RefusedAttempt{{Mention: "minFailedTaskCount", Question: &pluginpb.DecideRequest{Digest: "p",
			Parameters: plugintest.Parameters(t, map[string]any{"minFailedTaskCount": 3})}}},
		Refused: []plugintest.Refused{{Parameters: map[string]any{"minFailedTaskCount": 3}, Mention: "minFailedTaskCount"}},
	}
	t.Run("in process", func(t *testing.T) {
		plugintest.Policy(t, plugintest.InProcess(thresholds.New), options)
	})
	t.Run("as a program", func(t *testing.T) {
		plugintest.Policy(t, plugintest.Binary(plugintest.Build(t, ".")), options)
	})
}
