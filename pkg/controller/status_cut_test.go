package controller

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// The cuts that make a status fit may change without that status being stored. Such a difference is not reported as an edit by
// others, and the status is not written again.
func TestMessagesCutOtherwise(t *testing.T) {
	t.Parallel()
	third := func(s *v1.FrameworkStatus) bool { return messageOf(s, 2) != "" }
	retried := func(s *v1.FrameworkStatus) bool { return s.AttemptStatus.ID == 1 }
	for name, change := range map[string]func(w *world){
		"more, for a write that conflicts": func(w *world) {
			w.conflict(third, func() { w.Edit(apitest.Pods, "a-w-2", failedWith(longMessage(2))) })
			w.eventually("the message is stored", func() bool { return third(w.decoded()) })
		},
		"less, for a write that conflicts": func(w *world) {
			w.conflict(retried, func() {
				w.Edit(apitest.Pods, "a-w-2", failedWith(longMessage(2)))
				w.EndPod("a-w-3", 1)
			})
			w.eventually("the retry is stored", func() bool { return retried(w.decoded()) })
		},
		"more, for a write whose answer is lost": func(w *world) {
			w.failWrites(1, third, apitest.LoseAnswer)
			w.Edit(apitest.Pods, "a-w-2", failedWith(longMessage(2)))
			w.eventually("the Pod has gone", func() bool { return w.Get(apitest.Pods, "a-w-2") == nil })
		},
		"more, as there is less room": func(w *world) {
			reads := len(w.Requests("get frameworks"))
			w.Edit(apitest.Frameworks, "a", func(o *unstructured.Unstructured) {
				o.SetAnnotations(map[string]string{"note": strings.Repeat("x", 3000)})
			})
			w.requested("get frameworks", reads+1)
			writes := len(w.Requests(statusWrites))
			w.never("a write", func() bool { return len(w.Requests(statusWrites)) > writes })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.tampered = true // an outcome whose message is cut once more does change
			w.create("a", tasks(4), frameworkRetries(1), room(7500), allMayFail)
			for i := range 4 {
				w.taskReaches("a", "w", i, v1.AttemptPreparing)
				w.RunPod(podOfA(i))
				w.taskReaches("a", "w", i, v1.AttemptRunning)
			}
			for i := range 2 {
				w.Edit(apitest.Pods, podOfA(i), failedWith(longMessage(i)))
				w.eventually("the Task completes", func() bool { return taskOfStatus(w.decoded(), "w", i).State == v1.Completed })
			}
			if n := len(messageOf(w.decoded(), 0)); n == 0 || n == len(longMessage(0)) {
				t.Fatalf("%d bytes are stored of the first message", n)
			}
			change(w)
			w.never("a warning", func() bool { return w.warnings("a")["StatusOverwritten"] > 0 })
		})
	}
}

// conflict has the first status write that is like that, and is caused, conflict with an edit of the spec.
func (w *world) conflict(like func(*v1.FrameworkStatus) bool, cause func()) {
	w.t.Helper()
	held := make(chan struct{})
	came := w.failWrites(1, like, apitest.Fault{Wait: held})
	cause()
	w.eventually("the write", func() bool { return came.Load() > 0 })
	w.Set(apitest.Frameworks, "a", int64(2), "spec", "retryPolicy", "maxRetryCount")
	close(held)
	w.eventually("the conflict", func() bool {
		return slices.ContainsFunc(w.Requests(statusWrites), func(q apitest.Request) bool { return q.Code == http.StatusConflict })
	})
}

func podOfA(index int) string { return fmt.Sprintf("a-w-%d", index) }

// decoded is the stored status of Framework a.
func (w *world) decoded() *v1.FrameworkStatus { return decodedStatus(w.Get(apitest.Frameworks, "a")) }

// messageOf returns the last words of a Task in a status.
func messageOf(s *v1.FrameworkStatus, index int) string {
	outcome := taskOfStatus(s, "w", index).AttemptStatus.CompletionStatus
	if outcome == nil || outcome.Pod == nil || len(outcome.Pod.Containers) == 0 {
		return ""
	}
	return outcome.Pod.Containers[0].Message
}

// room leaves about the given number of bytes to the status.
func room(bytes int) func(*v1.FrameworkSpec) {
	return func(s *v1.FrameworkSpec) { s.Description = strings.Repeat("x", statusjson.StorageBytes-bytes) }
}

// allMayFail has the attempt end when all of its Tasks have ended, and fail.
func allMayFail(s *v1.FrameworkSpec) {
	s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = s.TaskRoles[0].TaskNumber
}

// longMessage does not compress well, and is the same each time.
func longMessage(seed int) string {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	text := make([]byte, 3000)
	for i := range text {
		text[i] = byte(random.Uint32())
	}
	return base64.StdEncoding.EncodeToString(text)
}

func failedWith(message string) func(pod *unstructured.Unstructured) {
	return func(pod *unstructured.Unstructured) {
		apitest.Exited(1)(pod)
		statuses, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
		_ = unstructured.SetNestedField(statuses[0].(map[string]any), message, "state", "terminated", "message")
		_ = unstructured.SetNestedSlice(pod.Object, statuses, "status", "containerStatuses")
	}
}
