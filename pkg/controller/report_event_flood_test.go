package controller

import (
	"fmt"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// However many of its Tasks fail, users are told in the end that the Framework has completed.
func TestManyFailuresDoNotHideTheEnd(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(40), func(s *v1.FrameworkSpec) { s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = 40 })
	w.taskReaches("a", "w", 39, v1.AttemptPreparing)
	for i := range 40 {
		w.EndPod(fmt.Sprintf("a-w-%d", i), 1)
	}
	w.reaches("a", v1.Completed)
	w.eventually("the end is told", func() bool { return w.warnings("a")["Completed"] > 0 })
}
