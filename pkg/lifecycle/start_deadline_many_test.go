package lifecycle_test

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// lateAtOnce is a round in which all Tasks are past their deadline, because their Pods find no node.
func lateAtOnce(t testing.TB, tasks int32) lifecycle.Input {
	spec := roles(tasks)
	spec.TaskRoles[0].FrameworkAttemptCompletionPolicy = v1.CompletionPolicySpec{MinFailedTaskCount: -1, MinSucceededTaskCount: -1}
	spec.TaskRoles[0].Task.StartDeadline = &v1.StartDeadlineSpec{UnscheduledSec: 60}
	state, observed := running(t, spec)
	status := state.Status()
	for i := range status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses {
		task := &status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[i]
		task.State, task.RunTime, task.AttemptStatus.RunTime = v1.AttemptPreparing, nil, nil
		task.AttemptStatus.PendingSince = &v1.PendingSince{Unscheduled: &metav1.Time{Time: task.StartTime.Time}}
	}
	late, err := lifecycle.Load(status)
	if err != nil {
		t.Fatal(err)
	}
	for ref, view := range observed.Pods {
		pod := *view.Pod
		pod.Phase, pod.NodeName = lifecycle.PodPending, ""
		pod.StallCause = &waiting.Cause{Reason: reason.Unschedulable, Words: "0/9 nodes are available"}
		view.Pod = &pod
		observed.Pods[ref] = view
	}
	in := inputOf(late, spec)
	in.Observed = observed
	in.Now = in.Now.Add(time.Hour)
	return in
}

// Ten thousand Tasks that time out in the same second are decided in one round, and each has its Pod deleted once.
func TestManyDeadlinesAtOnce(t *testing.T) {
	const many = 10000
	out := lifecycle.Step(lateAtOnce(t, many))
	decided, deleted := 0, map[lifecycle.TaskRef]bool{}
	eachTask(out.State, func(_ lifecycle.TaskRef, task *v1.TaskStatus) {
		if c := task.AttemptStatus.CompletionStatus; c != nil && c.Code == -130 {
			decided++
		}
	})
	for _, a := range out.Actions {
		if d, ok := a.(lifecycle.DeletePod); ok {
			deleted[d.Task] = true
		}
	}
	if decided != many || len(deleted) != many || len(out.Actions) != many {
		t.Errorf("%d are decided, %d Pods deleted by %d actions", decided, len(deleted), len(out.Actions))
	}
}

// BenchmarkStepDeadlines decides Tasks that time out in the same second.
func BenchmarkStepDeadlines(b *testing.B) {
	for _, tasks := range []int32{100, 1000, 10000} {
		b.Run(fmt.Sprintf("tasks=%d", tasks), func(b *testing.B) {
			in := lateAtOnce(b, tasks)
			b.ReportAllocs()
			for b.Loop() {
				lifecycle.Step(in)
			}
		})
	}
}
