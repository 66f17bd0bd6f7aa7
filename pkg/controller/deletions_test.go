package controller

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// eventsOf returns the Events with the given reason on a Framework, without the fields that a repetition would change.
func (w *world) eventsOf(framework, reason string) (found []corev1.Event) {
	w.t.Helper()
	for _, o := range w.List(apitest.Events) {
		e := corev1.Event{}
		require.NoError(w.t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &e))
		if e.InvolvedObject.Name == framework && e.Reason == reason {
			found = append(found, e)
		}
	}
	return found
}

// A Pod that a scale-down deletes has its cause in the log, in the metric and in an event.
func TestDeletionSaysWhy(t *testing.T) {
	t.Parallel()
	n := &tally{}
	w := newWorld(t)
	w.options.Observer = n
	w.start()
	w.create("a", tasks(2))
	w.runs("a")
	uid := string(w.uidOf(apitest.Pods, "a-w-1"))
	w.respec("a", tasks(1))
	w.eventually("the Pod has gone", func() bool { return w.Get(apitest.Pods, "a-w-1") == nil })
	w.eventually("its deletion is told", func() bool { return len(w.eventsOf("a", "PodDeleted")) > 0 })
	lines := w.log.lines("pod deleted")
	if want := fmt.Sprintf("framework=default/a name=a-w-1 uid=%s cause=ScaleDown code=-230 row=R0", uid); len(lines) != 1 || !strings.HasSuffix(lines[0], want) {
		t.Errorf("the log has %q, and not %q", lines, want)
	}
	if n.of("Pod deleted ScaleDown") != 1 {
		t.Errorf("counted are %s", n)
	}
	e := w.eventsOf("a", "PodDeleted")[0]
	wantMessage := "Pod a-w-1 was deleted, cause ScaleDown, code -230, retry row R0. " + reason.ScaleDown.Row().Means
	wantAnnotations := map[string]string{reason.KeyCause: "ScaleDown", reason.KeyCode: "-230", reason.KeyRow: "R0", reason.KeyTask: "w-1", reason.KeyAttempt: "0"}
	if e.Type != corev1.EventTypeNormal || e.Message != wantMessage || !reflect.DeepEqual(e.Annotations, wantAnnotations) {
		t.Errorf("the event is %s %q with %v", e.Type, e.Message, e.Annotations)
	}
}

// The deletions at the end of every life are logged and counted in the metric, and cost no event.
func TestUsualDeletionsHaveNoEvents(t *testing.T) {
	t.Parallel()
	n := &tally{}
	w := newWorld(t)
	w.options.Observer = n
	w.start()
	w.create("a", taskRetries(1))
	w.runs("a")
	w.EndPod("a-w-0", 3)
	w.eventually("it is tried again", func() bool { return w.task("a", "w", 0).AttemptStatus.ID == 1 })
	w.taskReaches("a", "w", 0, v1.AttemptPreparing)
	w.RunPod("a-w-0")
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	w.eventually("the end is told", func() bool { return len(w.eventsOf("a", "Completed")) > 0 })
	for _, what := range []string{"Pod deleted TaskRetry", "Pod deleted TaskEnded", "ConfigMap deleted AttemptEnded"} {
		if n.of(what) != 1 {
			t.Errorf("%s: counted are %s", what, n)
		}
	}
	if found := append(w.eventsOf("a", "PodDeleted"), w.eventsOf("a", "ConfigMapDeleted")...); len(found) > 0 {
		t.Errorf("there are events: %v", found)
	}
	if lines := w.log.lines("configmap deleted"); len(lines) != 1 || !strings.Contains(lines[0], "cause=AttemptEnded code=0 row=R7") {
		t.Errorf("the log has %q", lines)
	}
}

// However many Pods are deleted for a reason, their events are few, and each Pod has a line in the log.
func TestManyDeletionsAreFewEvents(t *testing.T) {
	t.Parallel()
	const many = 60
	w := startWorld(t)
	w.create("a", tasks(many))
	w.taskReaches("a", "w", many-1, v1.AttemptPreparing)
	w.setSuspend("a", true)
	w.reaches("a", v1.AttemptCompleted)
	w.eventually("the deletions are told", func() bool { return len(w.eventsOf("a", "PodDeleted")) > 0 })
	if n := len(w.Requests("create events")) + len(w.Requests("patch events")); n > many/2 {
		t.Errorf("%d requests are about events", n)
	}
	lines := w.log.lines("pod deleted")
	if len(lines) != many || slices.ContainsFunc(lines, func(line string) bool { return !strings.Contains(line, "cause=Suspension code=-250 row=R0a") }) {
		t.Errorf("the log has %d lines: %q", len(lines), lines)
	}
}

// A deletion that is repeated until the object has gone is reported once, and once more when it is by force.
func TestRepeatedDeletionIsReportedOnce(t *testing.T) {
	t.Parallel()
	n := &tally{}
	w := newWorld(t)
	w.options.Observer = n
	w.start()
	w.KeepTerminating(true)
	w.running("a", gracefulTimeoutSec(0))
	w.finalize(apitest.Pods, "a-w-0")
	w.Delete(apitest.Pods, "a-w-0")
	w.requested("delete pods a-w-0", 3) // by somebody, by force, and by force again
	w.unfinalize(apitest.Pods, "a-w-0")
	w.reaches("a", v1.Completed)
	if n.of("Pod deleted ForcedAfterTimeout") != 1 || len(w.log.lines("pod deleted")) != 1 {
		t.Errorf("counted are %s, and the log has %q", n, w.log.lines("pod deleted"))
	}
}

// A deletion that finds nothing is not reported.
func TestDeletionOfNothingIsNotReported(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(2))
	held := make(chan struct{})
	w.Inject("delete pods a-w-1", 1, apitest.Fault{Wait: held})
	w.respec("a", tasks(1))
	w.requested("delete pods a-w-1", 1)
	w.Vanish(apitest.Pods, "a-w-1")
	close(held)
	w.eventually("the Task is dropped", func() bool { return len(w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses) == 1 })
	if lines := w.log.lines("pod deleted"); len(lines) != 0 {
		t.Errorf("the log has %q", lines)
	}
}

// A failed deletion is not reported, and the next, successful one is.
func TestFailedDeletionIsNotReported(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(2))
	w.Inject("delete pods a-w-1", 1, apitest.DropConnection)
	w.respec("a", tasks(1))
	w.eventually("the Task is dropped", func() bool { return len(w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses) == 1 })
	if lines := w.log.lines("pod deleted"); len(lines) != 1 {
		t.Errorf("the log has %q", lines)
	}
}

// Reasons chosen by users, such as exit codes, do not make a record grow.
func TestNotedDeletionsAreBounded(t *testing.T) {
	r := &record{}
	for code := range int32(1000) {
		r.noteDeletion(reason.Pod, "1", reason.Deletion{Cause: reason.ForcedAfterTimeout, Ended: true, Code: code}, lifecycle.DeletePod{})
	}
	if n := len(r.reported.deletions); n > 20 {
		t.Errorf("%d are noted", n)
	}
	r = &record{}
	for i := range int32(10_000) {
		r.noteDeletion(reason.Pod, "1", reason.Deletion{Cause: reason.Suspension}, lifecycle.DeletePod{Task: lifecycle.TaskRef{Role: "w", Index: i}})
	}
	if noted := r.reported.deletions; len(noted) != 1 || noted[0].Number != 10_000 || len(noted[0].Names) > 20 {
		t.Errorf("%d are noted of one reason", len(noted))
	}
}
