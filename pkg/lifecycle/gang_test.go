package lifecycle

import (
	"iter"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A gang that has lost a part of its nodes holds the rest. It is reported only where nothing ends that.
func TestHalfGang(t *testing.T) {
	type gang struct {
		scheduling *v1.SchedulingSpec
		placement  *v1.PlacementStatus
		role       v1.TaskRoleSpec
		tasks      [2]v1.TaskStatus
	}
	tests := map[string]struct {
		change func(*gang)
		half   bool
	}{
		"half": {func(*gang) {}, true},
		"half, and no time-out": {func(g *gang) {
			g.scheduling, g.placement = &v1.SchedulingSpec{Gang: &v1.GangSpec{}}, nil
		}, true},
		"enough of all, and not of the role": {func(g *gang) {
			g.scheduling.Gang = &v1.GangSpec{MinTasks: new(int32(1)), PerRole: []v1.RoleGangSpec{{Role: "worker", MinTasks: 2}}}
		}, true},
		"no gang":             {func(g *gang) { g.scheduling = nil }, false},
		"enough":              {func(g *gang) { g.scheduling.Gang = &v1.GangSpec{MinTasks: new(int32(1))} }, false},
		"never placed":        {func(g *gang) { g.placement.PlacedTime = nil }, false},
		"a deadline":          {func(g *gang) { g.role.Task.StartDeadline = &v1.StartDeadlineSpec{UnscheduledSec: 60} }, false},
		"an added Task waits": {func(g *gang) { g.tasks[1].AttemptStatus.ID = 0 }, false},
		"nobody holds a node": {func(g *gang) { g.tasks[0].AttemptStatus.PodNodeName = nil }, false},
		"a removed Task":      {func(g *gang) { g.tasks[1].DeletionPending = true }, false},
	}
	for name, test := range tests {
		at := metav1.NewTime(time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC))
		g := &gang{scheduling: &v1.SchedulingSpec{TimeoutSec: new(int32(600))}, placement: &v1.PlacementStatus{StartTime: at, PlacedTime: &at},
			role: v1.TaskRoleSpec{Name: "worker", TaskNumber: 2}}
		g.tasks[0] = v1.TaskStatus{State: v1.AttemptRunning, AttemptStatus: v1.TaskAttemptStatus{PodNodeName: new("node-0")}}
		g.tasks[1] = v1.TaskStatus{Index: 1, State: v1.AttemptPreparing, AttemptStatus: v1.TaskAttemptStatus{ID: 1}}
		test.change(g)
		var tasks iter.Seq[*v1.TaskStatus] = func(yield func(*v1.TaskStatus) bool) {
			_ = yield(&g.tasks[0]) && yield(&g.tasks[1])
		}
		role := HalfGang(g.scheduling, g.placement, func(yield func(GangTasks) bool) { yield(GangTasks{"worker", &g.role, tasks}) })
		if half := role == "worker"; half != test.half {
			t.Errorf("%s: half is %v", name, half)
		}
	}
}
