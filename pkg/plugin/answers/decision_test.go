package answers

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func TestDecisions(t *testing.T) {
	const succeeded, failed, going = pluginpb.DecideResponse_SUCCEEDED, pluginpb.DecideResponse_FAILED, pluginpb.DecideResponse_CONTINUE
	q := &pluginpb.DecideRequest{Framework: &pluginpb.Framework{AttemptId: 3}, Digest: "d", Roles: []*pluginpb.RoleProgress{
		{Name: "a", Completed: []*pluginpb.CompletedTask{{Index: 0, Type: &pluginpb.CompletionType{Name: "Succeeded"}}, {Index: 2, Type: plugin.Failed()}}}}}
	trigger := func(role string, index int32) *pluginpb.Trigger {
		return &pluginpb.Trigger{TaskRole: role, TaskIndex: index}
	}
	tests := []struct {
		name   string
		answer *pluginpb.DecideResponse
		want   string
	}{
		{"abstains", &pluginpb.DecideResponse{Digest: "any"}, ""},
		{"continues", &pluginpb.DecideResponse{Decision: going, Digest: "d", AttemptId: 3}, ""},
		{"succeeds", &pluginpb.DecideResponse{Decision: succeeded, Digest: "d", AttemptId: 3}, ""},
		{"succeeds by a Task", &pluginpb.DecideResponse{Decision: succeeded, Digest: "d", AttemptId: 3, Trigger: trigger("a", 0)}, ""},
		{"fails by a Task", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Trigger: trigger("a", 2)}, ""},
		{"fails", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Code: 7, Phrase: "A", Type: plugin.Failed()}, ""},
		{"unknown", &pluginpb.DecideResponse{Decision: 9, Digest: "d", AttemptId: 3}, "there is no decision 9"},
		{"stale", &pluginpb.DecideResponse{Decision: going, Digest: "e", AttemptId: 3}, `it is about digest "e"`},
		{"other attempt", &pluginpb.DecideResponse{Decision: going, Digest: "d", AttemptId: 2}, "of attempt 2"},
		{"unknown role", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Trigger: trigger("b", 0)}, `no role "b"`},
		{"running Task", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Trigger: trigger("a", 1)}, "has not completed"},
		{"fails by a success", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Trigger: trigger("a", 0)}, "has not failed"},
		{"fails without code", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3}, "must have a code"},
		{"reserved code", &pluginpb.DecideResponse{Decision: failed, Digest: "d", AttemptId: 3, Code: -210, Phrase: "A", Type: plugin.Failed()}, "reserved"},
		{"succeeds with a code", &pluginpb.DecideResponse{Decision: succeeded, Digest: "d", AttemptId: 3, Code: 7}, "only a failure"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { _, err := CheckDecision(q, tt.answer); wantProblem(t, err, tt.want) })
	}
}
