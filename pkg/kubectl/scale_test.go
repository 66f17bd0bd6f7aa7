package kubectl

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// A threshold that as many Tasks have come to already ends the attempt, and so what runs of it: that is asked about.
func TestScaleReachesThreshold(t *testing.T) {
	ended := func(code completion.Code) v1.TaskStatus {
		return v1.TaskStatus{State: v1.Completed, AttemptStatus: v1.TaskAttemptStatus{CompletionStatus: &v1.TaskAttemptCompletionStatus{
			CompletionStatus: completion.Predefined(code, "")}}}
	}
	f := v1.Framework{
		Spec: v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "worker", TaskNumber: 4}}},
		Status: &v1.FrameworkStatus{AttemptStatus: v1.FrameworkAttemptStatus{TaskRoleStatuses: []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{
			ended(completion.CodeSucceeded), ended(completion.CodeSucceeded), ended(completion.CodePodExternalDeleted), {State: v1.AttemptRunning},
		}}}}},
	}
	for field, of := range map[string]map[int32]bool{
		"minSucceededTaskCount": {-1: false, 1: true, 2: true, 3: false},
		"minFailedTaskCount":    {-1: false, 1: true, 2: false},
	} {
		for least, want := range of {
			c := newChange(&stored{Framework: f}, "scaled")
			c.setOf(0, policyField+field, -2, least)
			if got := c.reachesThreshold() != ""; got != want {
				t.Errorf("%s %d: %t", field, least, got)
			}
		}
	}
}
