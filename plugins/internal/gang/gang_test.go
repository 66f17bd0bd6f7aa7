package gang

import (
	"maps"
	"strings"
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

// A gang is expressed by role only if the minimums of the roles add up to all of it.
func TestByRole(t *testing.T) {
	some := func(n int32) *pluginpb.Scheduling {
		return &pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: n}}
	}
	for name, test := range map[string]struct {
		scheduling *pluginpb.Scheduling
		ps, worker int32 // of 2 and 4 Tasks
		want       bool
		wrong      bool
	}{
		"nothing said":         {nil, 0, 0, false, false},
		"all":                  {some(6), 2, 0, false, false},
		"only a number":        {some(3), 0, 0, false, false},
		"only of roles":        {some(3), 1, 2, true, false},
		"more of roles":        {some(1), 1, 2, true, false},
		"more than roles tell": {some(4), 1, 0, false, true},
	} {
		got, err := ByRole(test.scheduling, []*pluginpb.RoleShape{role("ps", 2, 0, test.ps, "1"), role("worker", 4, 0, test.worker, "1")})
		if got != test.want || (err != nil) != test.wrong {
			t.Errorf("%s: %t, %v", name, got, err)
		}
	}
}

func TestLabelValue(t *testing.T) {
	long := strings.Repeat("a", 63)
	for name, test := range map[string]struct {
		of   string
		want string
	}{
		"short":    {"train", "train-2"},
		"just so":  {long[:61], long[:61] + "-2"},
		"too long": {long, long[:44] + "-"},
	} {
		if got := LabelValue(test.of, 2); len(got) > 63 || !strings.HasPrefix(got, test.want) || !strings.HasSuffix(got, "-2") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if LabelValue(long+"b", 2) == LabelValue(long+"c", 2) {
		t.Error("two names become the same")
	}
}

func TestCannot(t *testing.T) {
	s := &pluginpb.Scheduling{Queue: "research", Topology: []*pluginpb.Topology{{Key: "zone"}}}
	if NoQueue(s, false) == nil || NoQueue(s, true) != nil || NoQueue(nil, false) != nil {
		t.Error("queue")
	}
	if err := NoTopology(s); err != nil {
		t.Errorf("what is only preferred is refused: %v", err)
	}
	s.Topology = append(s.Topology, &pluginpb.Topology{Key: "rack", Required: true})
	if NoTopology(s) == nil {
		t.Error("what is required is taken")
	}
}
