package lifecycle

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// initialise gives a Framework its first status.
func (r *round) initialise() {
	r.status.StartTime = r.now
	r.move(&f1)
	r.newAttempt(0)
}

// newAttempt makes everything of an attempt anew from the current spec. What belongs to the Framework itself,
// such as its first times and its counters, stays.
func (r *round) newAttempt(id int32) {
	r.status.AttemptStatus = v1.FrameworkAttemptStatus{
		ID:            id,
		StartTime:     r.now,
		ConfigMapName: v1.ConfigMapName(r.in.Framework.Name),
	}
	r.status.Gates = nil
	headroom := max(r.maxTasks(), r.taskNumber()) // as many as there were could be stored
	r.roles = nil
	r.addMissing(headroom)
}

func (r *round) newTask(role string, index int32) *v1.TaskStatus {
	return &v1.TaskStatus{
		Index:          index,
		InstanceUID:    r.newUID("task", role, index),
		StartTime:      r.now,
		State:          v1.AttemptCreationPending,
		TransitionTime: r.now,
		AttemptStatus:  newTaskAttempt(0, v1.PodName(r.in.Framework.Name, role, index), r.now),
	}
}

func newTaskAttempt(id int32, podName string, now metav1.Time) v1.TaskAttemptStatus {
	return v1.TaskAttemptStatus{ID: id, StartTime: now, PodName: podName}
}
