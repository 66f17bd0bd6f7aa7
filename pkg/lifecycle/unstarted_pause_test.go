package lifecycle

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Whether the Pod of an attempt ever ran is read from what the Pod has reported, and from whether it was seen to run.
func TestNeverRan(t *testing.T) {
	failed := func(containers ...v1.ContainerCompletionStatus) *v1.TaskAttemptCompletionStatus {
		return &v1.TaskAttemptCompletionStatus{
			CompletionStatus: completion.Predefined(completion.CodePodFailedWithoutFailedContainer, ""),
			Pod:              &v1.PodCompletionStatus{Reason: "OutOfcpu", Containers: containers},
		}
	}
	deleted := &v1.TaskAttemptCompletionStatus{CompletionStatus: completion.Predefined(completion.CodePodExternalDeleted, "")}
	succeeded := &v1.TaskAttemptCompletionStatus{
		CompletionStatus: completion.Predefined(completion.CodeSucceeded, ""), Pod: &v1.PodCompletionStatus{},
	}
	tests := map[string]struct {
		attempt v1.TaskAttemptStatus
		want    bool
	}{
		"refused":                        {v1.TaskAttemptStatus{CompletionStatus: failed()}, true},
		"refused, and lists a container": {v1.TaskAttemptStatus{CompletionStatus: failed(v1.ContainerCompletionStatus{Name: "c"})}, true},
		"a container was not found":      {v1.TaskAttemptStatus{CompletionStatus: failed(v1.ContainerCompletionStatus{Name: "c", Reason: "ContainerStatusUnknown", Code: 137})}, true},
		"an init container has ended":    {v1.TaskAttemptStatus{CompletionStatus: failed(v1.ContainerCompletionStatus{Name: "i", Reason: "Completed"}, v1.ContainerCompletionStatus{Name: "c"})}, false},
		"failed before it was seen":      {v1.TaskAttemptStatus{CompletionStatus: failed(v1.ContainerCompletionStatus{Name: "c", Code: 1})}, false},
		"seen to run":                    {v1.TaskAttemptStatus{CompletionStatus: failed(), RunTime: &metav1.Time{}}, false},
		"deleted by others":              {v1.TaskAttemptStatus{CompletionStatus: deleted}, false},
		"succeeded":                      {v1.TaskAttemptStatus{CompletionStatus: succeeded}, false},
		"not over":                       {v1.TaskAttemptStatus{}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := neverRan(&test.attempt); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
