package gang

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// raised is a role of Tasks with 1 GiB, some of which were raised to 4 GiB and others to 2 GiB.
func raised(tasks, completed int32, four, two []int32) *pluginpb.RoleShape {
	role := role("worker", tasks, completed, 0, "1")
	role.Requests["memory"] = "1Gi"
	role.RaisedTasks = []*pluginpb.RaisedTasks{
		{Indices: four, Requests: map[string]string{"cpu": "1", "memory": "4Gi"}},
		{Indices: two, Requests: map[string]string{"cpu": "1", "memory": "2048Mi"}},
	}
	return role
}

// Pods are counted by their memory, and never more of them than are left.
func TestSizes(t *testing.T) {
	for name, test := range map[string]struct {
		role *pluginpb.RoleShape
		want string
	}{
		"none raised":                      {role("worker", 3, 1, 0, "1"), "worker: 2 of "},
		"some raised":                      {raised(5, 0, []int32{1}, []int32{0, 3}), "worker: 2 of 1Gi, worker-1: 2 of 2048Mi [0 3], worker-2: 1 of 4Gi [1]"},
		"all that are left were raised":    {raised(5, 2, []int32{1}, []int32{0, 3}), "worker: 0 of 1Gi, worker-1: 2 of 2048Mi [0 3], worker-2: 1 of 4Gi [1]"},
		"more were raised than run a time": {raised(2, 0, []int32{71}, []int32{70, 73}), "worker: 0 of 1Gi, worker-1: 1 of 2048Mi [70 73], worker-2: 1 of 4Gi [71]"},
		"all come later":                   {raised(0, 0, []int32{1}, []int32{0}), "worker: 0 of 1Gi, worker-1: 0 of 2048Mi [0], worker-2: 0 of 4Gi [1]"},
	} {
		before := proto.CloneOf(test.role)
		sizes, err := Sizes(test.role)
		require.NoError(t, err, name)
		var got string
		for i, s := range sizes {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s: %d of %s", s.Name, s.Count, s.Role.GetRequests()["memory"])
			if s.Indices != nil {
				got += fmt.Sprintf(" %v", s.Indices)
			}
			require.Empty(t, s.Role.GetRaisedTasks(), name)
		}
		require.Equal(t, test.want, got, name)
		require.True(t, proto.Equal(before, test.role), "%s: the question was changed", name)
	}
	wrong := raised(1, 0, []int32{0}, nil)
	wrong.RaisedTasks[0].Requests["memory"] = "much"
	_, err := Sizes(wrong)
	require.ErrorContains(t, err, "role worker: request of memory: ")
}

// The sum has the raised memory of all Pods; a part of them has the smallest.
func TestRequestsOfRaisedTasks(t *testing.T) {
	role := raised(5, 0, []int32{1}, []int32{0, 3})
	for pods, want := range map[int32]string{5: "10Gi", 4: "6Gi", 2: "2Gi"} {
		got, err := Requests([]*pluginpb.RoleShape{role}, func(*pluginpb.RoleShape) int32 { return pods })
		require.NoError(t, err)
		require.Equal(t, want, got["memory"], "%d Pods", pods)
		require.Equal(t, fmt.Sprint(pods), got["cpu"])
	}
}

// One size for all has the most of each request that a Pod still has.
func TestLargest(t *testing.T) {
	for name, test := range map[string]struct {
		role  *pluginpb.RoleShape
		want  map[string]string
		count int32
	}{
		"none raised":           {role("worker", 3, 1, 0, "1"), map[string]string{"cpu": "1"}, 2},
		"some raised":           {raised(5, 1, []int32{1}, []int32{0}), map[string]string{"cpu": "1", "memory": "4Gi"}, 4},
		"only one that is left": {raised(5, 4, []int32{1}, []int32{0}), map[string]string{"cpu": "1", "memory": "4Gi"}, 1},
		"nothing":               {&pluginpb.RoleShape{}, nil, 0},
	} {
		sizes, err := Largest(test.role)
		require.NoError(t, err)
		require.Len(t, sizes, 1, name)
		s := sizes[0]
		if s.Name != test.role.GetName() || s.Count != test.count || !maps.Equal(s.Role.GetRequests(), test.want) || len(s.Role.GetRaisedTasks()) > 0 {
			t.Errorf("%s: %v", name, s)
		}
	}
}
