package kueue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

// raise gives Tasks of the role worker more memory than the 1 GiB that it then has.
func raise(worker *pluginpb.RoleShape, memory string, indices ...int32) {
	worker.Requests = map[string]string{"cpu": "2", "memory": "1Gi"}
	worker.RaisedTasks = append(worker.RaisedTasks, &pluginpb.RaisedTasks{Indices: indices, Requests: map[string]string{"cpu": "2", "memory": memory}})
}

// sizes renders the pod sets of a Workload with their memory and their Tasks.
func sizes(t *testing.T, object *pluginpb.Object) string {
	t.Helper()
	w, err := workloadIn(object.GetJson())
	require.NoError(t, err)
	var out []string
	for _, set := range w.Spec.PodSets {
		text := fmt.Sprintf("%s %dx%s", set.Name, set.Count, set.Template.Spec.Containers[0].Resources.Requests["memory"])
		if set.MinCount != nil {
			text += fmt.Sprintf(" (%d)", *set.MinCount)
		}
		for _, s := range w.stretches() {
			if s.PodSet == set.Name {
				text += fmt.Sprintf(" %s:%d-%d", s.Role, s.First, s.Last)
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// Kueue counts the memory of raised Tasks, in pod sets of their own.
func TestRaisedTasks(t *testing.T) {
	const chief = "chief 1x chief:0-0, "
	required := &pluginpb.Scheduling{Topology: []*pluginpb.Topology{{Key: "rack", Required: true, TaskRole: "worker"}}}
	preferred := &pluginpb.Scheduling{Topology: []*pluginpb.Topology{{Key: "rack"}}}
	var scattered []int32
	for i := range int32(100) {
		scattered = append(scattered, 2*i+1)
	}
	for name, test := range map[string]struct {
		workers    int32
		scheduling *pluginpb.Scheduling
		parameters map[string]any
		change     func(worker *pluginpb.RoleShape)
		want       string
	}{
		"some": {6, nil, nil, func(w *pluginpb.RoleShape) { raise(w, "4Gi", 1); raise(w, "2Gi", 3, 4) },
			chief + "worker 3x1Gi worker:0-0 worker:2-2 worker:5-5, worker-1 2x2Gi worker:3-4, worker-2 1x4Gi worker:1-1"},
		"all": {3, nil, nil, func(w *pluginpb.RoleShape) { raise(w, "2Gi", 0, 1, 2) }, chief + "worker-1 3x2Gi worker:0-2"},
		"all that are left": {3, nil, nil, func(w *pluginpb.RoleShape) { raise(w, "2Gi", 1, 2); w.CompletedTaskCount = 1 },
			chief + "worker-1 2x2Gi worker:1-2 worker:0-0"},
		"in a rack": {3, required, nil, func(w *pluginpb.RoleShape) { raise(w, "2Gi", 1) }, chief + "worker 3x2Gi worker:0-2"},
		"rather in a rack": {3, preferred, nil, func(w *pluginpb.RoleShape) { raise(w, "2Gi", 1) },
			chief + "worker 2x1Gi worker:0-0 worker:2-2, worker-1 1x2Gi worker:1-1"},
		"no pod set left": {3, nil, map[string]any{"queue": "q", "maxPodSets": 2}, func(w *pluginpb.RoleShape) { raise(w, "2Gi", 1) }, chief + "worker 3x2Gi worker:0-2"},
		"two at a time":   {2, nil, nil, func(w *pluginpb.RoleShape) { raise(w, "2Gi", 71) }, chief + "worker 1x1Gi worker:1-1, worker-1 1x2Gi worker:0-0"},
		"too many ranges": {300, nil, nil, func(w *pluginpb.RoleShape) { raise(w, "2Gi", scattered...) },
			chief + "worker 200x1Gi worker:100-299, worker-1 100x2Gi worker:0-99"},
		"only some are needed": {6, &pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: 3}}, map[string]any{"queue": "q", "partialAdmission": true},
			func(w *pluginpb.RoleShape) { raise(w, "2Gi", 1) }, chief + "worker 5x1Gi (1) worker:0-0 worker:2-5, worker-1 1x2Gi worker:1-1"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.parameters == nil {
				test.parameters = research
			}
			q := hintstory.Training(t, test.workers, test.parameters, test.scheduling)
			test.change(q.Roles[1])
			answer := hinted(t, q)
			require.Empty(t, answer.GetRefusal())
			require.Equal(t, test.want, sizes(t, answer.GetObjects()[0]))

			q.Previous = answer
			again := hinted(t, q)
			require.Len(t, again.GetObjects(), 1, "it is covered")
			require.Equal(t, string(answer.GetObjects()[0].GetJson()), string(again.GetObjects()[0].GetJson()))
		})
	}
}

// A Workload stays as it is when Tasks are raised later.
func TestRaisedWithinAnAttempt(t *testing.T) {
	q := hintstory.Training(t, 4, research, nil)
	q.Previous = hinted(t, q)
	raise(q.Roles[1], "2Gi", 1)
	again := hinted(t, q)
	require.Len(t, again.GetObjects(), 1)
	require.Equal(t, string(q.Previous.GetObjects()[0].GetJson()), string(again.GetObjects()[0].GetJson()))
}

// Pods get the assignments of their pod set, and the last ones of a pod set with less quota wait.
func TestPatchesOfRaisedTasks(t *testing.T) {
	q := hintstory.Training(t, 6, map[string]any{"queue": "q", "partialAdmission": true, "flavors": map[string]any{
		"a": map[string]any{"nodeSelector": map[string]any{"pool": "a"}},
		"b": map[string]any{"nodeSelector": map[string]any{"pool": "b"}},
	}}, &pluginpb.Scheduling{Gang: &pluginpb.Gang{MinTaskCount: 3}})
	raise(q.Roles[1], "2Gi", 3)
	got := admittedWith(t, q, `{"admission": {"clusterQueue": "c", "podSetAssignments": [
		{"name": "worker", "count": 2, "flavors": {"cpu": "a"}}, {"name": "worker-1", "count": 1, "flavors": {"cpu": "b"}}]}}`)
	require.Equal(t, strings.Join([]string{
		"worker 4-5: map[] map[] map[] [frameworkcontroller.microsoft.com/no-quota]",
		"worker 2-2: map[] map[] map[] [frameworkcontroller.microsoft.com/no-quota]",
		"worker 0-1: map[pool:a] map[] map[] []",
		"worker 3-3: map[pool:b] map[] map[] []",
	}, "\n"), rendered(t, got.GetPatches()))
}

// The quota of completed Tasks is given back by pod set, as far as it is sure that they are in it.
func TestReclaimablePodsOfRaisedTasks(t *testing.T) {
	q := hintstory.Training(t, 6, research, nil)
	raise(q.Roles[1], "2Gi", 1, 4)
	q.Previous = hinted(t, q)
	for completed, want := range map[int32]string{
		2: "",
		4: `{"reclaimablePods":[{"name":"worker","count":2}]}`,
		5: `{"reclaimablePods":[{"name":"worker","count":3},{"name":"worker-1","count":1}]}`,
		6: `{"reclaimablePods":[{"name":"worker","count":4},{"name":"worker-1","count":2}]}`,
	} {
		q.Roles[1].CompletedTaskCount = completed
		require.Equal(t, want, string(hinted(t, q).GetObjects()[0].GetStatusJson()), "%d completed", completed)
	}
}
