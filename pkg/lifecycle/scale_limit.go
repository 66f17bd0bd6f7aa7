package lifecycle

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A status with too many Tasks could never be stored again, not even for a stop or a scale-down. So no more Tasks are added than
// the status can hold, whatever the spec says.

// taskHeadroom is the number of Tasks that a live attempt may add. Tasks that are being removed count until they are gone. An
// attempt about to stop may add none: they would only be completed.
func (r *round) taskHeadroom() int {
	if r.stopping() {
		return 0
	}
	return max(r.maxTasks()-r.taskNumber(), 0)
}

func (r *round) maxTasks() int {
	if most := r.in.Config.MaxTasks; most > 0 {
		return most
	}
	return v1.MaxTasks
}

// taskNumber returns the number of Tasks, including Tasks that are being removed.
func (r *round) taskNumber() int {
	sum := 0
	for _, role := range r.roles {
		sum += len(role.tasks)
	}
	return sum
}

// tooManyTasks reports whether Tasks are missing because the spec has too many. Tasks that only wait until others are gone are
// not worth reporting.
func (r *round) tooManyTasks() bool {
	if r.wantedTasks() <= r.maxTasks() || r.stopping() || r.completing() || r.in.Framework.Deleting {
		return false
	}
	for _, role := range r.roles {
		if len(role.tasks) < role.wanted() {
			return true
		}
	}
	return false
}
