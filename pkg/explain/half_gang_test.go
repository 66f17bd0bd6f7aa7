package explain

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// A gang that has lost a part of its nodes holds the rest. What would end that is told only where nothing does.
func TestHalfGangIsExplained(t *testing.T) {
	tests := map[string]struct {
		change func(*v1.Framework)
		told   bool
	}{
		"half": {func(*v1.Framework) {}, true},
		"half, and no time-out": {func(f *v1.Framework) {
			f.Spec.Scheduling, f.Status.AttemptStatus.Placement = &v1.SchedulingSpec{Gang: &v1.GangSpec{}}, nil
		}, true},
		"enough of all, and not of the role": {func(f *v1.Framework) {
			f.Spec.Scheduling.Gang = &v1.GangSpec{MinTasks: new(int32(1)), PerRole: []v1.RoleGangSpec{{Role: "worker", MinTasks: 2}}}
		}, true},
		"no gang":      {func(f *v1.Framework) { f.Spec.Scheduling = nil }, false},
		"enough":       {func(f *v1.Framework) { f.Spec.Scheduling.Gang = &v1.GangSpec{MinTasks: new(int32(1))} }, false},
		"never placed": {func(f *v1.Framework) { f.Status.AttemptStatus.Placement.PlacedTime = nil }, false},
		"a deadline": {func(f *v1.Framework) {
			f.Spec.TaskRoles[0].Task.StartDeadline = &v1.StartDeadlineSpec{UnscheduledSec: 60}
		}, false},
		"an added Task waits": {func(f *v1.Framework) { halfGangTasks(f)[1].AttemptStatus.ID = 0 }, false},
		"nobody holds a node": {func(f *v1.Framework) { halfGangTasks(f)[0].AttemptStatus.PodNodeName = nil }, false},
		"a removed Task":      {func(f *v1.Framework) { halfGangTasks(f)[1].DeletionPending = true }, false},
		"another wait":        {func(f *v1.Framework) { f.Status.Conditions[0].Reason = string(reason.ImageNotPulled) }, false},
	}
	for name, test := range tests {
		f := lostGang()
		test.change(f)
		said := strings.Join(Framework(Facts{Framework: f, Now: halfPastFour}).Lines(), "\n")
		if told := strings.Contains(said, "The other Tasks of the gang keep their nodes meanwhile"); told != test.told {
			t.Errorf("%s: told is %v, and it says\n%s", name, told, said)
		}
	}
}

// lostGang is a gang of two that was placed, and of which one has lost its node and finds no other.
func lostGang() *v1.Framework {
	node := "node-0"
	at := metav1.NewTime(halfPastFour.Add(-time.Hour))
	holds := v1.TaskStatus{State: v1.AttemptRunning, TransitionTime: at}
	holds.AttemptStatus.PodNodeName = &node
	waits := v1.TaskStatus{Index: 1, State: v1.AttemptPreparing, TransitionTime: at, AttemptStatus: v1.TaskAttemptStatus{ID: 1}}
	f := frameworkOf(holds, waits)
	f.Spec.Scheduling = &v1.SchedulingSpec{TimeoutSec: new(int32(600))}
	f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 2}}
	f.Status.AttemptStatus.Placement = &v1.PlacementStatus{StartTime: at, PlacedTime: &at}
	f.Status.Conditions = []metav1.Condition{{Type: v1.ConditionWaiting, Status: metav1.ConditionTrue, Reason: string(reason.Unschedulable),
		Message: "no node was found", LastTransitionTime: at}}
	return f
}

func halfGangTasks(f *v1.Framework) []v1.TaskStatus {
	return f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses
}
