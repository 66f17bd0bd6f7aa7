package lifecycle

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
)

// initialise gives a Framework its first status.
func (r *round) initialise() {
	r.status.StartTime = r.now
	r.move(&f1)
	r.newAttempt(0)
	// Other Frameworks are observed for a Framework that has a status. A suspended one may have no other reason for a second round.
	r.out.Requeue = r.out.Requeue || len(gates.AwaitedFrameworks(r.in.Framework.Spec, nil)) > 0
}

// newAttempt builds an attempt from the current spec. The fields of the Framework itself, such as its first times and its
// counters, stay.
func (r *round) newAttempt(id int32) {
	r.status.AttemptStatus = v1.FrameworkAttemptStatus{
		ID:            id,
		StartTime:     r.now,
		ConfigMapName: v1.ConfigMapName(r.in.Framework.Name),
	}
	r.status.Gates = nil
	headroom := max(r.maxTasks(), r.taskNumber()) // the previous number could be stored
	before := r.roles
	r.roles = nil
	r.addMissing(headroom)
	r.keepMemory(before)
}

// newTask has no UID if it has to wait for a turn. UIDs do not compress, and most Tasks of a large role wait.
func (r *round) newTask(role *roleDraft, index int32) *v1.TaskStatus {
	t := &v1.TaskStatus{
		Index:          index,
		StartTime:      r.now,
		State:          v1.AttemptCreationPending,
		TransitionTime: r.now,
		AttemptStatus:  newTaskAttempt(0, v1.PodName(r.in.Framework.Name, role.name, index), r.now),
	}
	if t.AttemptStatus.AwaitsTurn = role.limited(); !t.AttemptStatus.AwaitsTurn {
		t.InstanceUID = r.newUID("task", role.name, index)
	}
	return t
}

func newTaskAttempt(id int32, podName string, now metav1.Time) v1.TaskAttemptStatus {
	return v1.TaskAttemptStatus{ID: id, StartTime: now, PodName: podName}
}
