package thresholds

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

func task(index int32, kind string, sec int64) *pluginpb.CompletedTask {
	return &pluginpb.CompletedTask{Index: index, Type: &pluginpb.CompletionType{Name: kind}, CompletionTime: &timestamppb.Timestamp{Seconds: sec}}
}

func role(name string, number, minFailed, minSucceeded int32, tasks ...*pluginpb.CompletedTask) *pluginpb.RoleProgress {
	return &pluginpb.RoleProgress{Name: name, TaskNumber: number, MinFailedTaskCount: minFailed, MinSucceededTaskCount: minSucceeded, Completed: tasks}
}

func answer(decision pluginpb.DecideResponse_Decision, role string, index int32, message, rule string) *pluginpb.DecideResponse {
	return &pluginpb.DecideResponse{Decision: decision, Trigger: &pluginpb.Trigger{TaskRole: role, TaskIndex: index}, Message: message, Rule: rule}
}

func TestDecide(t *testing.T) {
	const failed, succeeded = pluginpb.DecideResponse_FAILED, pluginpb.DecideResponse_SUCCEEDED
	tests := []struct {
		name  string
		roles []*pluginpb.RoleProgress
		want  *pluginpb.DecideResponse
	}{
		{"nothing yet", []*pluginpb.RoleProgress{role("worker", 2, 1, -1, task(0, "Succeeded", 1))}, nil},
		{"0 is no threshold", []*pluginpb.RoleProgress{role("worker", 3, 0, 0, task(0, "Succeeded", 1), task(1, "Failed", 2))}, nil},
		{"switched off", []*pluginpb.RoleProgress{role("worker", 3, -1, -1, task(0, "Succeeded", 1), task(1, "Failed", 2))}, nil},
		{"enough successes", []*pluginpb.RoleProgress{role("ps", 1, 1, -1), role("worker", 3, 1, 2, task(0, "Succeeded", 9), task(2, "Succeeded", 8))},
			answer(succeeded, "worker", 0, "SucceededTaskCount 2 has reached MinSucceededTaskCount 2 in the TaskRole", "minSucceededTaskCount of worker")},
		{"all completed", []*pluginpb.RoleProgress{role("ps", 1, -1, -1, task(0, "Failed", 9)), role("worker", 1, -1, -1, task(0, "Failed", 8))},
			answer(succeeded, "ps", 0, "CompletedTaskCount 2 has reached TotalTaskCount 2, and no completion policy was triggered", "allCompleted")},
		{"a type that is unknown has no say", []*pluginpb.RoleProgress{role("worker", 1, 1, 1, task(1, "Odd", 2))}, nil},
	}
	for _, test := range tests {
		got, err := decide(t.Context(), &pluginpb.DecideRequest{Roles: test.roles})
		if err != nil || !proto.Equal(got, test.want) {
			t.Errorf("%s: %v %v, want %v", test.name, got, err, test.want)
		}
	}
}

// The order in which Tasks completed decides, so the time of the question does not matter: an attempt that has failed does not succeed
// because more Tasks completed before the question.
func TestLaterCompletionsDoNotChangeTheTrigger(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	compared := 0
	for range 5000 {
		q := plugintest.RandomAttempt(r)
		before, _ := decide(t.Context(), q)
		if before == nil || before.Rule == "allCompleted" {
			continue
		}
		for _, role := range q.Roles {
			for index := role.TaskNumber; index < role.TaskNumber+3; index++ {
				role.Completed = append(role.Completed, task(index, "Failed", 1_800_000_000), task(index+100, "Succeeded", 1_800_000_000))
			}
		}
		after, _ := decide(t.Context(), q)
		if compared++; !proto.Equal(after.Trigger, before.Trigger) || after.Decision != before.Decision {
			t.Fatalf("%v, after more completions %v", before, after)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d attempts had ended", compared)
	}
}
