package plugintest

import (
	"math"
	"math/rand/v2"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// RandomShape generates the shape of a Framework's Pods.
func RandomShape(r *rand.Rand) *pluginpb.HintRequest {
	q := &pluginpb.HintRequest{
		Framework: &pluginpb.Framework{Namespace: "default", Name: "f", Uid: "f-uid", AttemptId: r.Int32N(3), Labels: map[string]string{"app": "a"}},
	}
	for _, name := range []string{"chief", "worker", "ps"}[:r.IntN(4)] {
		role := &pluginpb.RoleShape{
			Name: name, TaskNumber: r.Int32N(6), MinFailedTaskCount: 1, MinSucceededTaskCount: -1,
			Requests: map[string]string{"cpu": pick(r, "1", "500m"), "memory": "2Gi"}, ContainerNames: []string{"main", "side"}[:1+r.IntN(2)],
			SchedulerName: pick(r, "", "default-scheduler"),
		}
		if r.IntN(2) == 0 {
			role.Requests["nvidia.com/gpu"] = pick(r, "1", "8")
		}
		if r.IntN(3) == 0 {
			role.TolerationsJson = []byte(`[{"key":"gpu","operator":"Exists"}]`)
			role.AffinityJson = []byte(`{"nodeAffinity":{}}`)
		}
		q.Roles = append(q.Roles, role)
	}
	return q
}

// oddShapes are unusual shapes that a plugin must survive. The names of the Frameworks describe the oddity.
func oddShapes() []*pluginpb.HintRequest {
	named := func(name string) *pluginpb.Framework { return &pluginpb.Framework{Namespace: "default", Name: name} }
	parameter := map[string]*structpb.Value{"no-such-parameter": structpb.NewStringValue("x")}
	many := &pluginpb.HintRequest{Framework: named("fifty roles")}
	for i := range 50 {
		many.Roles = append(many.Roles, &pluginpb.RoleShape{Name: "role" + string(rune('a'+i/26)) + string(rune('a'+i%26)), TaskNumber: 50,
			Requests: map[string]string{"cpu": "1"}, ContainerNames: []string{"main"}})
	}
	return []*pluginpb.HintRequest{
		{},
		{Framework: named("no role")},
		{Framework: named("a role without anything"), Roles: []*pluginpb.RoleShape{{}}},
		{Framework: named("no Tasks"), Roles: []*pluginpb.RoleShape{{Name: "worker", Requests: map[string]string{"nvidia.com/gpu": "1"}}}},
		{Framework: named("extreme numbers"), Roles: []*pluginpb.RoleShape{{Name: "worker", TaskNumber: math.MinInt32, ContainerNames: []string{"main"},
			Requests: map[string]string{"nvidia.com/gpu": "-1", "cpu": "no quantity", "memory": "1e99"}}}},
		{Framework: named("bad JSON"), Roles: []*pluginpb.RoleShape{{Name: "worker", TaskNumber: 1, ContainerNames: []string{"main"},
			TolerationsJson: []byte("{"), AffinityJson: []byte("[]")}}},
		{Framework: named("other parameters"), Parameters: &structpb.Struct{Fields: parameter}},
		many,
	}
}
