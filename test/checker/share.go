package checker

import (
	"reflect"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// share gives a version of a Framework the memory of the one before it, wherever they are equal: most Tasks are as
// they were, in each of hundreds of versions.
func share(before, after *v1.Framework) {
	if reflect.DeepEqual(before.Spec, after.Spec) {
		after.Spec = before.Spec
	}
	if before.Status == nil || after.Status == nil {
		return
	}
	old, roles := before.Status.AttemptStatus.TaskRoleStatuses, after.Status.AttemptStatus.TaskRoleStatuses
	for i := range min(len(old), len(roles)) {
		shareTasks(old[i].TaskStatuses, roles[i].TaskStatuses)
	}
}

func shareTasks(before, after []v1.TaskStatus) {
	for i := range min(len(before), len(after)) {
		if reflect.DeepEqual(before[i], after[i]) {
			after[i] = before[i]
		}
	}
}
