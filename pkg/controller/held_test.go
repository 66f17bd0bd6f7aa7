package controller

import (
	"strings"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A Pod has ended, and a foreign finalizer keeps it. Its Task continues; the next Pod waits for the name, even after a restart,
// and the condition names the holder.
func TestTaskCompletesBeforeItsHeldPodGoes(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(2), taskRetries(1))
	w.finalize(apitest.Pods, "a-w-0")
	before := w.Get(apitest.Pods, "a-w-0").GetUID()
	w.EndPod("a-w-0", 1)
	w.eventually("the Task is retried", func() bool {
		task := w.task("a", "w", 0)
		return task.AttemptStatus.ID == 1 && task.State == v1.AttemptCreationPending
	})
	w.conditionBecomes("a", v1.ConditionWaiting, "True because PodTerminating")
	if m := w.waiting("a").Message; !strings.Contains(m, "example.com/keep") || !strings.Contains(m, "a-w-0") {
		t.Errorf("it waits: %s", m)
	}
	w.restart()
	w.never("it waits no more", func() bool {
		return w.condition("a", v1.ConditionWaiting) != "True because PodTerminating" || w.Get(apitest.Pods, "a-w-0").GetUID() != before
	})
	w.unfinalize(apitest.Pods, "a-w-0")
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
}

// An attempt ends although one of its Pods is held: after a minute, its ConfigMap no longer waits for the Pod. The next attempt
// begins, and waits for that one name.
func TestAttemptEndsBeforeItsHeldPodGoes(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(2), frameworkRetries(1))
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.RunPod("a-w-1")
	w.finalize(apitest.Pods, "a-w-0")
	w.EndPod("a-w-0", 1)
	w.eventually("the attempt ends, and only the held Pod is left", func() bool {
		return w.state("a") == v1.AttemptDeleting && w.Get(apitest.Pods, "a-w-1") == nil
	})
	w.conditionBecomes("a", v1.ConditionWaiting, "True because PodTerminating")
	if s := w.state("a"); s != v1.AttemptDeleting {
		t.Errorf("within the minute the Framework is %s", s)
	}
	w.stop()
	w.startAt(2 * time.Minute)
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.RunPod("a-w-1") // by this controller's clock, no scheduler has looked at it for long
	if id := w.status("a").AttemptStatus.ID; id != 1 {
		t.Fatalf("attempt %d", id)
	}
	w.conditionBecomes("a", v1.ConditionWaiting, "True because NameConflict")
	if m := w.waiting("a").Message; !strings.Contains(m, "example.com/keep") || !strings.Contains(m, "a-w-0") {
		t.Errorf("it waits: %s", m)
	}
	w.unfinalize(apitest.Pods, "a-w-0")
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.RunPod("a-w-0")
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
}

// A Pod whose deletion is accepted, but which may still run, keeps its Task and its attempt, whatever finalizers it has.
func TestFinalizerOfARunningPod(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", taskRetries(1))
	w.finalize(apitest.Pods, "a-w-0")
	w.Delete(apitest.Pods, "a-w-0")
	w.taskReaches("a", "w", 0, v1.AttemptDeleting)
	w.stopFramework("a")
	w.stop()
	w.startAt(2 * time.Minute)
	w.never("the Task is completed", func() bool { return w.task("a", "w", 0).State != v1.AttemptDeleting })
	w.EndPod("a-w-0", 143)
	w.taskReaches("a", "w", 0, v1.Completed)
	w.stop()
	w.startAt(4 * time.Minute)
	w.reaches("a", v1.Completed)
}
