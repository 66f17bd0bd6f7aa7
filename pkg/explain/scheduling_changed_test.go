package explain

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// An edit of the scheduling that does not affect the current attempt is mentioned, whether or not the Framework waits, and beside
// the reason of its wait.
func TestLateSchedulingChangeIsExplained(t *testing.T) {
	const said = "takes effect with the next attempt"
	queued := func() *v1.Framework {
		f := lostGang()
		f.Spec.Scheduling.Queue = "old"
		f.Status.AttemptStatus.SchedulerHints = &v1.SchedulerHints{Plugin: "p", SchedulingDigest: lifecycle.SchedulingDigest(&f.Spec)}
		f.Spec.Scheduling.Queue = "new"
		halfGangTasks(f)[0].AttemptStatus.PodUID = new(types.UID("u"))
		return f
	}
	tests := map[string]struct {
		change func(*v1.Framework)
		told   bool
	}{
		"while it waits":       {func(*v1.Framework) {}, true},
		"while it runs":        {func(f *v1.Framework) { f.Status.Conditions = nil }, true},
		"not changed":          {func(f *v1.Framework) { f.Spec.Scheduling.Queue = "old" }, false},
		"before the first Pod": {func(f *v1.Framework) { halfGangTasks(f)[0].AttemptStatus.PodUID = nil }, false},
		"the attempt has ended": {func(f *v1.Framework) {
			f.Status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{}
		}, false},
	}
	for name, test := range tests {
		f := queued()
		test.change(f)
		a := Framework(Facts{Framework: f, Now: halfPastFour})
		text := strings.Join(a.Lines(), "\n")
		if told := strings.Contains(text, said); told != test.told {
			t.Errorf("%s: told is %v, and it says\n%s", name, told, text)
		}
		if name == "while it waits" && !strings.Contains(text, "no node was found") {
			t.Errorf("nothing is said of the wait:\n%s", text)
		}
	}
}

// A permanently stopped Framework does not continue when it is resumed.
func TestStoppedWhileSuspended(t *testing.T) {
	f := lostGang()
	f.Spec.Suspend, f.Spec.ExecutionType = new(true), v1.ExecutionStop
	a := Framework(Facts{Framework: f, Now: halfPastFour})
	if text := strings.Join(a.Lines(), "\n"); strings.Contains(text, "it goes on") {
		t.Errorf("it says\n%s", text)
	}
}

// lostGang is a placed gang of two, one of which has lost its node and finds no other.
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
