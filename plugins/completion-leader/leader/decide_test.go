package leader

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

func task(index int32, kind string, sec int64) *pluginpb.CompletedTask {
	return &pluginpb.CompletedTask{Index: index, Type: &pluginpb.CompletionType{Name: kind}, CompletionTime: &timestamppb.Timestamp{Seconds: sec}}
}

func role(name string, number int32, tasks ...*pluginpb.CompletedTask) *pluginpb.RoleProgress {
	return &pluginpb.RoleProgress{Name: name, TaskNumber: number, Completed: tasks}
}

func TestDecide(t *testing.T) {
	chief := map[string]any{"leader": map[string]any{"role": "chief"}}
	chief1 := map[string]any{"leader": map[string]any{"role": "chief", "index": 1}}
	goOn := func(message, rule string) *pluginpb.DecideResponse {
		return &pluginpb.DecideResponse{Decision: pluginpb.DecideResponse_CONTINUE, Message: message, Rule: rule}
	}
	end := func(decision pluginpb.DecideResponse_Decision, index int32, message, rule string) *pluginpb.DecideResponse {
		return &pluginpb.DecideResponse{Decision: decision, Trigger: &pluginpb.Trigger{TaskRole: "chief", TaskIndex: index}, Message: message, Rule: rule}
	}
	refused := func(reason string) *pluginpb.DecideResponse {
		return &pluginpb.DecideResponse{Refusal: "the parameters of the Framework are wrong: " + reason}
	}
	const failed, succeeded = pluginpb.DecideResponse_FAILED, pluginpb.DecideResponse_SUCCEEDED
	otherFailed := role("worker", 1, task(0, "Failed", 1))
	tests := []struct {
		name                  string
		configured, framework map[string]any
		roles                 []*pluginpb.RoleProgress
		want                  *pluginpb.DecideResponse
	}{
		{"no leader is named", nil, nil, []*pluginpb.RoleProgress{role("chief", 1, task(0, "Failed", 1))}, nil},
		{"there is no such role", chief, nil, []*pluginpb.RoleProgress{otherFailed}, nil},
		{"the role has no Tasks", chief, nil, []*pluginpb.RoleProgress{role("chief", 0), otherFailed}, nil},
		{"there is no such Task", chief1, nil, []*pluginpb.RoleProgress{role("chief", 1, task(0, "Failed", 1))}, nil},

		{"wrong parameters of the Framework", chief, map[string]any{"leader": map[string]any{"role": "chief", "index": -1}}, []*pluginpb.RoleProgress{role("chief", 1)},
			refused("leader.index: must be at least 0, but is -1")},
		{"a role that it does not have", chief, map[string]any{"leader": map[string]any{"role": "boss"}}, []*pluginpb.RoleProgress{role("chief", 1)},
			refused(`leader.role: the Framework has no role "boss"`)},
		{"a role without Tasks", nil, chief, []*pluginpb.RoleProgress{role("chief", 0), otherFailed}, refused("leader.role: role chief has no Tasks")},
		{"a Task that it does not have", nil, chief1, []*pluginpb.RoleProgress{role("chief", 1)},
			refused("leader.index: role chief has no Task 1, because its taskNumber is 1")},

		{"others have no say", chief, nil, []*pluginpb.RoleProgress{role("chief", 2, task(0, "Succeeded", 1)), otherFailed},
			goOn("1 of 2 leading Tasks have succeeded", "leader chief")},
		{"the first failure fails", chief, nil, []*pluginpb.RoleProgress{role("chief", 9, task(0, "Failed", 5), task(1, "Failed", 3), task(2, "Failed", 3), task(3, "Succeeded", 1))},
			end(failed, 1, "the leading Task chief[1] has failed for good", "leader chief")},
		{"all have succeeded", chief, nil, []*pluginpb.RoleProgress{otherFailed, role("chief", 3, task(0, "Succeeded", 1), task(1, "Succeeded", 7), task(2, "Succeeded", 7))},
			end(succeeded, 1, "the leading Task chief[1] was the last one to succeed", "leader chief")},

		{"another Task of the role has no say", chief1, nil, []*pluginpb.RoleProgress{role("chief", 2, task(0, "Failed", 1))},
			goOn("0 of 1 leading Tasks have succeeded", "leader chief[1]")},
		{"the Task has failed", chief1, nil, []*pluginpb.RoleProgress{role("chief", 2, task(0, "Succeeded", 1), task(1, "Failed", 2))},
			end(failed, 1, "the leading Task chief[1] has failed for good", "leader chief[1]")},
		{"the Task has succeeded", chief1, nil, []*pluginpb.RoleProgress{role("chief", 2, task(0, "Failed", 1), task(1, "Succeeded", 2))},
			end(succeeded, 1, "the leading Task chief[1] was the last one to succeed", "leader chief[1]")},
		{"the Framework names another", chief1, chief, []*pluginpb.RoleProgress{role("chief", 2, task(0, "Failed", 1))},
			end(failed, 0, "the leading Task chief[0] has failed for good", "leader chief")},
		{"only the Framework names one", nil, chief, []*pluginpb.RoleProgress{role("chief", 1)},
			goOn("0 of 1 leading Tasks have succeeded", "leader chief")},
	}
	for _, test := range tests {
		p := New()
		if test.configured != nil {
			require.NoError(t, p.Configure("it", plugintest.Parameters(t, test.configured)))
		}
		q := &pluginpb.DecideRequest{Roles: test.roles}
		if test.framework != nil {
			q.Parameters = plugintest.Parameters(t, test.framework)
		}
		got, err := p.CompletionPolicy.Decide(t.Context(), q)
		if err != nil || !proto.Equal(got, test.want) {
			t.Errorf("%s: %v %v, want %v", test.name, got, err, test.want)
		}
	}
}
