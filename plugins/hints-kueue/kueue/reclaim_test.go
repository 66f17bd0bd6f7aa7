package kueue

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

// Kueue is told how many Tasks have completed, of which it may use the quota for others, and never fewer than before.
func TestReclaimablePods(t *testing.T) {
	const four = `{"reclaimablePods":[{"name":"worker","count":4}]}`
	q := hintstory.Training(t, 4, research, nil)
	for i, step := range []struct {
		workers, completed int32
		want, wantAdded    string
	}{
		{4, 0, "", ""},
		{4, 3, `{"reclaimablePods":[{"name":"worker","count":3}]}`, ""},
		{3, 2, `{"reclaimablePods":[{"name":"worker","count":3}]}`, ""}, // one that had completed was removed
		{4, 4, four, ""},
		{6, 4, four, ""}, // two are added, and it is not known which have completed
		{6, 5, four, `{"reclaimablePods":[{"name":"worker","count":1}]}`},
		{6, 6, four, `{"reclaimablePods":[{"name":"worker","count":2}]}`},
	} {
		q.Roles[1].TaskNumber, q.Roles[1].CompletedTaskCount = step.workers, step.completed
		a := hinted(t, q)
		if !a.GetFollowTasks() {
			t.Fatal("it does not hear of completed Tasks")
		}
		got := make([]string, 2)
		for i, o := range a.GetObjects() {
			got[i] = string(o.GetStatusJson())
		}
		if got[0] != step.want || got[1] != step.wantAdded {
			t.Errorf("step %d: got %q", i, got)
		}
		q.Previous = a
	}
}
