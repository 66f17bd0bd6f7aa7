package gang

import (
	"maps"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func role(name string, tasks, completed, least int32, cpu string) *pluginpb.RoleShape {
	return &pluginpb.RoleShape{Name: name, TaskNumber: tasks, CompletedTaskCount: completed, MinTaskCount: least,
		Requests: map[string]string{"cpu": cpu}}
}

func TestMinimum(t *testing.T) {
	some := func(n int32) *pluginpb.Scheduling {
		return &pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: n}}
	}
	for name, test := range map[string]struct {
		scheduling          *pluginpb.Scheduling
		ps, worker          *pluginpb.RoleShape
		min, minPS, minWork int32
	}{
		"nothing said":    {nil, role("ps", 1, 0, 0, "1"), role("worker", 3, 0, 0, "1"), 4, 1, 3},
		"some completed":  {nil, role("ps", 1, 0, 0, "1"), role("worker", 3, 2, 0, "1"), 2, 1, 1},
		"all completed":   {nil, role("ps", 1, 1, 0, "1"), role("worker", 3, 3, 0, "1"), 0, 0, 0},
		"a part":          {some(2), role("ps", 1, 0, 0, "1"), role("worker", 3, 0, 0, "1"), 2, 0, 0},
		"a part of roles": {some(3), role("ps", 1, 0, 1, "1"), role("worker", 3, 0, 2, "1"), 3, 1, 2},
		"more than left":  {some(9), role("ps", 1, 0, 1, "1"), role("worker", 3, 2, 3, "1"), 2, 1, 1},
	} {
		roles := []*pluginpb.RoleShape{test.ps, test.worker}
		got := [3]int32{Min(test.scheduling, roles), MinOf(test.scheduling, roles, test.ps), MinOf(test.scheduling, roles, test.worker)}
		if got != [3]int32{test.min, test.minPS, test.minWork} {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRequests(t *testing.T) {
	got, err := Requests([]*pluginpb.RoleShape{role("ps", 2, 0, 0, "500m"), role("worker", 4, 1, 0, "2")}, Left)
	if err != nil || !maps.Equal(got, map[string]string{"cpu": "7"}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Requests([]*pluginpb.RoleShape{role("ps", 2, 0, 0, "much")}, Left); err == nil {
		t.Error("a request that is no quantity is taken")
	}
}

func TestPriorityClass(t *testing.T) {
	high, low, done := role("a", 1, 0, 0, "1"), role("b", 1, 0, 0, "1"), role("c", 1, 1, 0, "1")
	high.PriorityClassName, low.PriorityClassName = "high", "low"
	if got, err := PriorityClass(nil, []*pluginpb.RoleShape{high, done}); got != "high" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := PriorityClass(nil, []*pluginpb.RoleShape{high, low}); err == nil {
		t.Error("different ones are taken")
	}
	if got, err := PriorityClass(&pluginpb.Scheduling{PriorityClassName: "mine"}, []*pluginpb.RoleShape{high, low}); got != "mine" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// Roles that are alike share a shape only if there would be too many.
func TestMerge(t *testing.T) {
	roles := []*pluginpb.RoleShape{role("a", 1, 0, 0, "1"), role("b", 2, 0, 0, "1"), role("c", 1, 0, 0, "2")}
	if got := Merge(roles, 3); len(got) != 3 || got[1].Name() != "b" {
		t.Errorf("%v", got)
	}
	got := Merge(roles, 2)
	if len(got) != 2 || got[0].Name() != "a" || len(got[0].Roles) != 2 || got[1].Name() != "c" {
		t.Errorf("%v", got)
	}
}
