package checker

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A turn is begun while the other Task has its Pod, or after that is gone.
func TestTurnsAreChecked(t *testing.T) {
	for name, test := range map[string]struct {
		gone bool
		uid  string
		says string // empty if nothing is wrong
	}{
		"as it is to be":      {true, "task9", ""},
		"too early":           {false, "task9", "as one of 2, and parallelism is 1"},
		"without an identity": {true, "", "without an instanceUID"},
	} {
		s := newScene(2)
		s.f.Spec.TaskRoles[0].Parallelism = new(int32(1))
		s.store(func(f *v1.Framework) {
			f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 2)}
			waiting := &f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[1]
			waiting.InstanceUID, waiting.AttemptStatus.AwaitsTurn = "", true
		})
		s.createConfigMap()
		s.run(0)
		if test.gone {
			s.store(taskState(0, v1.AttemptDeletionPending), decided(0, success))
			s.deletePod(0, us)
			s.store(taskState(0, v1.Completed))
		}
		s.store(task(1, func(t *v1.TaskStatus) { t.InstanceUID, t.AttemptStatus.AwaitsTurn = test.uid, false }))
		var told []string
		report := Check(s.h, Options{})
		for _, v := range report.Violations {
			told = append(told, v.String())
		}
		if all := strings.Join(told, "\n"); test.says == "" && all != "" || !strings.Contains(all, test.says) || report.Checks[Turns] == 0 {
			t.Errorf("%s: got %q, want %q", name, all, test.says)
		}
	}
}
