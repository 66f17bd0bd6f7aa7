package controller

import (
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// requireRules checks that the audit met each of the rules, so that it is not silent because nothing happened.
func (w *world) requireRules(rules ...string) {
	w.t.Helper()
	uses := w.audit()
	for _, rule := range rules {
		if uses[rule] == 0 {
			w.t.Errorf("rule %q was not put to use, only %v", rule, uses)
		}
	}
}

func TestOneTaskSucceeds(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)

	w.requireCode("a", 0)
	if w.Get(apitest.ConfigMaps, "a-attempt") != nil || w.Get(apitest.Pods, "a-w-0") != nil {
		t.Error("something is left of the attempt")
	}
	w.requireRules("ConfigMap after its attempt", "Pod after its Task's attempt and the ConfigMap's UID", "Pod after its outcome",
		"ConfigMap after its outcome")
}

// Each retry stores a new attempt before any of its objects is created.
func TestRetries(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", frameworkRetries(1), taskRetries(1))
	w.failsTimes(4)

	if status := w.status("a"); status.RetryPolicyStatus.TotalRetriedCount != 1 || w.task("a", "w", 0).RetryPolicyStatus.TotalRetriedCount != 1 {
		t.Errorf("the attempts were %d and %d", status.AttemptStatus.ID, w.task("a", "w", 0).AttemptStatus.ID)
	}
	w.requireRequests("create pods", 4)
}

// A scale-down is stored before it has any effect on a Task, and a Task is dropped after its completion is stored.
func TestScaleDown(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(3))
	for _, pod := range []string{"a-w-0", "a-w-1", "a-w-2"} {
		w.eventually(pod, func() bool { return w.Get(apitest.Pods, pod) != nil })
		w.RunPod(pod)
	}
	w.taskReaches("a", "w", 2, v1.AttemptRunning)
	w.respec("a", tasks(1))
	w.eventually("one Task is left", func() bool { return len(w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses) == 1 })

	for _, q := range w.Requests("delete pods") {
		stored := statusOf(w.Stored(q, apitest.Frameworks, "a"))
		index := map[string]int{"a-w-1": 1, "a-w-2": 2}[q.Name]
		if !taskOfStatus(stored, "w", index).DeletionPending {
			t.Errorf("%s: the Task was not flagged", q.String())
		}
	}
	if w.Get(apitest.Pods, "a-w-0") == nil {
		t.Error("the Task that was to stay has lost its Pod")
	}
}

// The timeout is stored in the status before a Pod is deleted by force. So a role that is removed from the spec keeps it.
func TestForcedDeletion(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.KeepTerminating(true)
	w.running("a", gracefulTimeoutSec(1))
	w.stopFramework("a")
	w.reaches("a", v1.Completed)
	w.requireRules("Pod by force after the timeout's copy", "ConfigMap after its outcome")
}

// Without a timeout a Pod that terminates is waited for, for ever.
func TestNoForcedDeletionWithoutTimeout(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.KeepTerminating(true)
	w.running("a")
	w.stopFramework("a")
	w.taskReaches("a", "w", 0, v1.AttemptDeleting)
	w.never("a deletion by the controller", func() bool { return len(w.Requests("delete pods")) > 0 })
	w.StopPod("a-w-0")
	w.reaches("a", v1.Completed)
}

// An expired Framework is deleted after its remaining objects.
func TestRetentionEnds(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", func(s *v1.FrameworkSpec) { s.TTLSecondsAfterFinished = new(int32) })
	w.EndPod("a-w-0", 0)
	w.eventually("the Framework has gone", func() bool { return w.Get(apitest.Frameworks, "a") == nil })

	deletion := w.Requests("delete frameworks")[0]
	if policy := deletion.Body["propagationPolicy"]; policy != "Foreground" {
		t.Errorf("the deletion's policy is %v", policy)
	}
	w.requireRules("Framework after its completion")
}

// Nothing is created, and no retry starts, once the Framework is being deleted.
func TestDeletedFrameworkDrains(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.KeepTerminating(true)
	w.running("a", taskRetries(v1.RetryAlways), frameworkRetries(v1.RetryAlways))
	w.DeleteForeground(apitest.Frameworks, "a")
	w.taskReaches("a", "w", 0, v1.AttemptDeleting)
	created := len(w.Requests("create pods")) + len(w.Requests("create configmaps"))
	w.StopPod("a-w-0")
	w.eventually("the Framework has gone", func() bool { return w.Get(apitest.Frameworks, "a") == nil })
	if now := len(w.Requests("create pods")) + len(w.Requests("create configmaps")); now != created {
		t.Errorf("%d objects were created for a Framework that is being deleted", now-created)
	}
}

// A new Framework of the same name waits until all objects of the old one have gone, and touches none of them.
func TestRecreatedFramework(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.KeepTerminating(true)
	w.running("a")
	old := w.Get(apitest.Pods, "a-w-0")
	w.Delete(apitest.Frameworks, "a")
	w.create("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because NameConflict")
	if w.Get(apitest.Pods, "a-w-0").GetUID() != old.GetUID() {
		t.Error("the old Pod was replaced")
	}
	w.StopPod("a-w-0")
	w.runs("a")
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
	if n := len(w.Requests("delete pods")) + len(w.Requests("delete configmaps")); n != 0 {
		t.Errorf("%d deletions were requested", n)
	}
}

// The remaining objects of a deleted Framework cause no rounds.
func TestFrameworkDeletedInBackground(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.KeepTerminating(true)
	w.running("a")
	w.Delete(apitest.Frameworks, "a")
	w.eventually("the record is forgotten", func() bool { return w.recordCount() == 0 })
	w.StopPod("a-w-0")
	w.never("a request", func() bool { return w.Get(apitest.Pods, "a-w-0") != nil })
}
