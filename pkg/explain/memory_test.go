package explain

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The learned memory is explained with the failure, and later with the Task.
func TestMemoryIsTold(t *testing.T) {
	failed := v1.CompletionStatus{Code: 137, Phrase: "Killed", Type: v1.CompletionType{Name: v1.CompletionFailed}}
	f := ended(failed, &v1.CompletionTrigger{TaskRoleName: "worker"})
	task := &f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	task.Memory = []v1.ContainerMemory{{Container: "main", Limit: "3Gi", FirstLimit: "2Gi"}}
	task.AttemptStatus.CompletionStatus.Memory = []v1.MemoryChange{
		{Container: "main", From: "2Gi", To: "3Gi"}, {Container: "cache", From: "1Gi", Kept: v1.MemoryAtMaximum}, {Container: "proxy", Kept: v1.MemoryNoLimit},
	}
	said := strings.Join(Task(Facts{Framework: f, Now: halfPastFour}, "worker", 0).Lines(), "\n")
	for _, want := range []string{
		"Container main gets a memory limit of at least 3Gi, after 2Gi at first, because it ran out of memory.",
		"Container main lacked memory: later Pods of the Task get a limit of 3Gi for it, and had 2Gi.",
		"Container cache lacked memory, and its limit 1Gi is the maximum, so later Pods get no more.",
		"Container proxy lacked memory, but has no memory limit that could be raised: set resources.limits.memory.",
	} {
		if strings.Count(said, want) != 1 {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
}
