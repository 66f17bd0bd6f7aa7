package plugintest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// RandomAttempt generates an attempt that is under way.
func RandomAttempt(r *rand.Rand) *pluginpb.DecideRequest {
	q := &pluginpb.DecideRequest{
		Framework: &pluginpb.Framework{Namespace: "default", Name: "f", Uid: "f-uid", AttemptId: r.Int32N(3)},
		Digest:    fmt.Sprintf("digest-%d", r.Uint32()),
	}
	for _, name := range []string{"chief", "worker", "ps"}[:r.IntN(4)] {
		role := &pluginpb.RoleProgress{Name: name, TaskNumber: r.Int32N(6), MinFailedTaskCount: r.Int32N(5) - 1, MinSucceededTaskCount: r.Int32N(5) - 1}
		for index := range role.TaskNumber {
			if r.IntN(3) > 0 {
				role.Completed = append(role.Completed, randomTask(r, index))
			}
		}
		q.Roles = append(q.Roles, role)
	}
	return q
}

func randomTask(r *rand.Rand, index int32) *pluginpb.CompletedTask {
	t := &pluginpb.CompletedTask{Index: index, Phrase: "Succeeded", Type: &pluginpb.CompletionType{Name: "Succeeded"}, CompletionTime: moment(r)}
	if r.IntN(2) == 0 {
		t.Code, t.Phrase, t.Type = randomCode(r), "Failure", &pluginpb.CompletionType{Name: "Failed"}
	}
	return t
}

// oddAttempts are unusual questions that a plugin must survive. Their digests describe the oddity.
func oddAttempts() []*pluginpb.DecideRequest {
	parameter := map[string]*structpb.Value{"no-such-parameter": structpb.NewStringValue("x")}
	big := &pluginpb.DecideRequest{Digest: "ten thousand Tasks"}
	role := &pluginpb.RoleProgress{Name: "worker", TaskNumber: 10_000, MinFailedTaskCount: -1, MinSucceededTaskCount: 9_990}
	r := rand.New(rand.NewPCG(9, 9))
	for index := range int32(9_995) {
		role.Completed = append(role.Completed, randomTask(r, index))
	}
	big.Roles = append(big.Roles, role)
	return []*pluginpb.DecideRequest{
		{Digest: "nothing but a digest"},
		{Digest: "a role without anything", Roles: []*pluginpb.RoleProgress{{}}},
		{Digest: "a Task without anything", Roles: []*pluginpb.RoleProgress{{Name: "worker", TaskNumber: 2, Completed: []*pluginpb.CompletedTask{{}}}}},
		{Digest: "extreme numbers", Roles: []*pluginpb.RoleProgress{{Name: "worker", TaskNumber: math.MinInt32,
			MinFailedTaskCount: math.MaxInt32, MinSucceededTaskCount: math.MinInt32,
			Completed: []*pluginpb.CompletedTask{{Index: math.MaxInt32}, {Index: -1}}}}},
		{Digest: "other parameters", Parameters: &structpb.Struct{Fields: parameter}},
		big,
	}
}
