package controller

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A Framework that is too large never begins, however often it is looked at: the condition in its status does not make it one
// that has begun.
func TestTooManyTasksToBegin(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(v1.MaxTasks+1))
	w.requireMarkedInvalid("a", "SpecInvalid")
	stillParked := func(n int32) {
		w.eventually("a is found too large again", func() bool {
			c := meta.FindStatusCondition(w.status("a").Conditions, v1.ConditionStatusInvalid)
			return strings.Contains(c.Message, fmt.Sprintf("%d Tasks in total", n))
		})
	}
	w.respec("a", tasks(v1.MaxTasks+2))
	stillParked(v1.MaxTasks + 2)
	w.stop()
	w.respec("a", tasks(v1.MaxTasks+3))
	w.start()
	stillParked(v1.MaxTasks + 3)
	w.Set(apitest.Frameworks, "a", []any{}, "spec", "taskRoles")
	w.reaches("a", v1.AttemptPreparing)
}

// A Framework that has begun gets no more Tasks than allowed, reports this, and can be stopped.
func TestTooManyTasksToAdd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Lifecycle.MaxTasks = 3
	w.start()
	w.running("a")
	w.respec("a", tasks(10))
	w.conditionBecomes("a", v1.ConditionWaiting, "True because TooManyTasks")
	w.taskReaches("a", "w", 2, v1.AttemptPreparing)
	w.warnedOnce("a", "TooManyTasks")
	w.stopFramework("a")
	w.reaches("a", v1.Completed)
	if got := len(w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses); got != 3 {
		t.Errorf("there are %d Tasks", got)
	}
}
