package checker

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestRaisedMemory(t *testing.T) {
	for limits, want := range map[[2]string]string{
		{"2Gi", "3Gi"}: "",
		{"2Gi", "2Gi"}: "",
		{"3Gi", "2Gi"}: "Task a-0 had",
		{"2Gi", "5Gi"}: "Task a-0 was raised to",
		{"3Gi", ""}:    "Task a-0 had",
	} {
		s := newScene(1)
		s.store(func(f *v1.Framework) {
			f.Spec.TaskRoles[0].Task.RetryPolicy.OnOOM = &v1.OnOOMSpec{MaxMemory: "4Gi"}
			f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 1)}
		})
		s.createConfigMap()
		for _, limit := range limits {
			s.store(state(v1.AttemptRunning), task(0, func(t *v1.TaskStatus) {
				if t.Memory = nil; limit != "" {
					t.Memory = []v1.ContainerMemory{{Container: "main", Limit: limit, FirstLimit: "1Gi"}}
				}
			}))
		}
		var told []string
		for _, v := range Check(s.h, Options{}).Violations {
			if v.Guarantee == RaisedMemory {
				told = append(told, v.Evidence)
			}
		}
		if said := strings.Join(told, "\n"); (want == "") != (said == "") || !strings.Contains(said, want) {
			t.Errorf("%s: %q does not say %q", fmt.Sprint(limits), said, want)
		}
	}
}
