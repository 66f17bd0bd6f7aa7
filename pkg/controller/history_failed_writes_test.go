package controller

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

var full = apitest.Refuse(http.StatusInternalServerError, metav1.StatusReasonInternalError, "the storage is full")

// A decision repeated in every round because it cannot be stored is written to the history once.
func TestHistoryWhileWritesFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		edit  func(s *v1.FrameworkSpec)
		begin func(w *world)
		// drops reports whether a status to be written lacks the object in the history.
		drops func(status *v1.FrameworkStatus) bool
	}{
		"Task that is retried": {
			text:  ": OnTaskRetry",
			edit:  taskRetries(1),
			begin: func(w *world) { w.EndPod("a-w-0", 1) },
			drops: func(s *v1.FrameworkStatus) bool { return taskOfStatus(s, "w", 0).AttemptStatus.ID == 1 },
		},
		"Framework that is retried": {
			text:  ": OnFrameworkRetry",
			edit:  frameworkRetries(1),
			begin: func(w *world) { w.EndPod("a-w-0", 1) },
			drops: func(s *v1.FrameworkStatus) bool { return s.AttemptStatus.ID == 1 },
		},
		"Task that is removed": {
			text: ": OnTaskDeletion",
			edit: tasks(2),
			begin: func(w *world) {
				w.respec("a", tasks(1))
			},
			drops: func(s *v1.FrameworkStatus) bool { return len(s.AttemptStatus.TaskRoleStatuses[0].TaskStatuses) == 1 },
		},
		"Framework that is to be deleted, and has been edited": {
			text: "will be deleted",
			edit: func(*v1.FrameworkSpec) {},
			begin: func(w *world) {
				w.EndPod("a-w-0", 0)
				w.reaches("a", v1.Completed)
				w.Set(apitest.Frameworks, "a", int64(0), "spec", "ttlSecondsAfterFinished")
			},
			drops: func(s *v1.FrameworkStatus) bool { return s.ObservedGeneration == 2 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, told := startHistory(t)
			w.running("a", c.edit)
			failed := w.failWrites(3, c.drops, full)
			c.begin(w)
			w.eventually("it is stored at last", func() bool {
				return failed.Load() > 3 && (w.Get(apitest.Frameworks, "a") == nil || c.drops(w.status("a")))
			})
			if lines := told.lines(c.text); len(lines) != 1 {
				t.Errorf("told %d times", len(lines))
			}
			w.stop()
			if n := len(w.c.queue.records.get(w.key("a")).reported.logged); n != 0 {
				t.Errorf("%d are remembered", n)
			}
		})
	}
}

// After a failed write, another decision may follow, and it is written to the history too.
func TestHistoryOfAnotherDecision(t *testing.T) {
	t.Parallel()
	w, told := startHistory(t)
	w.running("a", taskRetries(1))
	retried := w.failWrites(1, func(s *v1.FrameworkStatus) bool {
		return taskOfStatus(s, "w", 0).AttemptStatus.ID == 1
	}, full)
	held := make(chan struct{})
	w.Inject("get frameworks", 1, apitest.Fault{Wait: held})
	w.EndPod("a-w-0", 1)
	w.eventually("the retry could not be stored", func() bool { return retried.Load() == 1 })
	w.respec("a", tasks(0))
	close(held)
	w.eventually("the Task is dropped", func() bool { return len(w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses) == 0 })
	if retries, deletions := snapshots(t, told, "OnTaskRetry"), snapshots(t, told, "OnTaskDeletion"); len(retries) != 1 || len(deletions) != 1 {
		t.Errorf("told of %d retries and %d deletions", len(retries), len(deletions))
	}
}
