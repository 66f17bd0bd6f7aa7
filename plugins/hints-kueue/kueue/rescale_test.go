package kueue

import (
	"bytes"
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

// A Workload that may have quota is kept unchanged. Added Tasks get another one, which is deleted when they are removed.
func TestRescale(t *testing.T) {
	const first = "train-2 in research, chief 1, worker 4"
	q := hintstory.Training(t, 4, research, nil)
	for _, step := range []struct {
		workers, completed int32
		want               string
	}{
		{4, 0, first},
		{4, 3, first},
		{2, 0, first},
		{4, 0, first},
		{6, 0, first + " + train-2-r1 in research, worker 2"},
		{9, 4, first + " + train-2-r1 in research, worker 2 + train-2-r2 in research, worker 3"},
		{7, 4, first + " + train-2-r1 in research, worker 2 + train-2-r2 in research, worker 3"},
		{5, 0, first + " + train-2-r1 in research, worker 2"},
		{3, 0, first},
		{5, 0, first + " + train-2-r1 in research, worker 1"},
		{0, 0, first},
	} {
		q.Roles[1].TaskNumber, q.Roles[1].CompletedTaskCount = step.workers, step.completed
		a := hinted(t, q)
		var got []string
		for i, o := range a.GetObjects() {
			got = append(got, outline(t, o))
			if i == 0 && q.Previous != nil && !bytes.Equal(o.GetJson(), q.Previous.Objects[0].GetJson()) {
				t.Errorf("%d workers: the first Workload has changed: %s", step.workers, o.GetJson())
			}
			if o.GetOnUpdate() != pluginpb.Object_KEEP {
				t.Errorf("%d workers: Workload %d may be changed", step.workers, i)
			}
		}
		if got := strings.Join(got, " + "); got != step.want {
			t.Errorf("%d workers:\ngot  %s\nwant %s", step.workers, got, step.want)
		}
		q.Previous = a
	}
}

// Kueue places added Tasks by themselves, so they cannot be near the others.
func TestAddedTasksWithTopology(t *testing.T) {
	near := func(required bool) *pluginpb.Scheduling {
		return &pluginpb.Scheduling{Topology: []*pluginpb.Topology{{Key: "rack", Required: required, TaskRole: "worker"}}}
	}
	for required, want := range map[bool]string{true: errAdded.Error(), false: ""} {
		q := hintstory.Training(t, 4, research, near(required))
		q.Previous = hinted(t, q)
		q.Roles[1].TaskNumber = 5
		if got := hinted(t, q).GetRefusal(); !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("required %t: refused %q", required, got)
		}
	}
}
