package controller

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
)

// While a quota refuses all Pods, one creation is tried after each pause, each time for another Task. Once one succeeds, all are
// sent at once.
func TestQuotaIsTriedByOneTask(t *testing.T) {
	inBubble(t, func(w *world) {
		const size = 40
		w.options.RequestsInFlight = 8
		undo := w.Inject("create pods", apitest.Always, apitest.Quota())
		w.start()
		w.create("a", tasks(size))
		tries := w.requested("create pods", 9)
		tried := map[string]bool{}
		for i, q := range tries {
			if i > 6 && q.At.Sub(tries[i-1].At) < flowcontrol.FirstDelay { // at most six were under way when the first failed
				w.t.Errorf("try %d came %v after the one before", i, q.At.Sub(tries[i-1].At))
			}
			if tried[q.Name] {
				w.t.Errorf("%s was tried twice, and others never", q.Name)
			}
			tried[q.Name] = true
		}
		undo()
		w.eventually("all have Pods", func() bool { return len(w.List(apitest.Pods)) == size })
	})
}

// The cost of a large Pod for the API server is unknown before one has been sent: the first is sent alone, and then all at once.
// The same after an edit of the template.
func TestFirstLargePodGoesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start()
	first := func(size int, edits ...func(*v1.FrameworkSpec)) {
		answer, had := make(chan struct{}), len(w.List(apitest.Pods))
		w.Inject("create pods", 1, apitest.Fault{Wait: answer})
		if edits = append(edits, tasks(int32(size))); had == 0 {
			w.create("a", edits...)
		} else {
			w.respec("a", edits...)
		}
		w.requested("create pods", had+1)
		w.never("another is sent beside it", func() bool { return len(w.Requests("create pods")) > had+1 })
		close(answer)
		w.eventually("all have Pods", func() bool { return len(w.List(apitest.Pods)) == size })
	}
	first(10, largePods)
	first(20, largePods)
}

// largePods gives a role a template that is large.
func largePods(s *v1.FrameworkSpec) {
	s.TaskRoles[0].Task.Pod = v1.PodTemplate(`{"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "none", "args": ["` +
		strings.Repeat("x", largeTemplate) + `"]}]}}`)
}

// Pods that the API server refuses slowly are sent one at a time. This includes Pods whose answer nobody waits for any longer.
func TestSlowRefusalsComeOneAtATime(t *testing.T) {
	inBubble(t, func(w *world) {
		const size, took = 5, time.Second
		w.Judge(func(q apitest.Request) apitest.Fault {
			if q.Verb != "create" || q.Resource != apitest.Pods {
				return apitest.Fault{}
			}
			refusal, answer := apitest.Refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "thousands of ports are missing"), make(chan struct{})
			time.AfterFunc(took, func() { close(answer) })
			refusal.Wait = answer
			return refusal
		})
		w.start()
		w.create("a", tasks(size), largePods, func(s *v1.FrameworkSpec) { s.TaskRoles[0].FrameworkAttemptCompletionPolicy.MinFailedTaskCount = size })
		tries := w.requested("create pods", size)
		for i, q := range tries[1:] {
			if q.At.Sub(tries[i].At) < took {
				w.t.Errorf("%s was sent %v after the one before, which had no answer", q.Name, q.At.Sub(tries[i].At))
			}
		}
	})
}

// A role whose Pods a quota refuses delays another role only for one pause, however many Pods it has.
func TestQuotaOfOneRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 60 {
		w.Inject(fmt.Sprintf("create pods a-q-%d", i), apitest.Always, apitest.Quota())
	}
	w.start()
	w.create("a", roles(role("q", 60), role("w", 40)))
	w.taskReaches("a", "w", 39, v1.AttemptPreparing)
	if n := len(w.Requests("create pods a-q-59")); n > 0 {
		t.Error("all of the other role were tried before")
	}
}

// Taken names concern only their own Tasks: the others have their Pods after a few pauses, and not after one pause per taken
// name.
func TestTakenNamesDoNotStarveOthers(t *testing.T) {
	t.Parallel()
	const taken, size = 40, 200
	w := newWorld(t)
	for i := range taken {
		w.Create(apitest.Pods, foreign(apitest.Pods, v1.PodName("a", "w", int32(i))))
	}
	w.start()
	w.create("a", tasks(size))
	w.eventually("the others have Pods", func() bool { return len(w.List(apitest.Pods)) == size })
}

// A failure of one creation among many delays the others for a pause.
func TestOneFailedCreationAmongMany(t *testing.T) {
	t.Parallel()
	const size = 200
	w := newWorld(t)
	w.Inject("create pods a-w-3", apitest.Always, apitest.Quota())
	w.start()
	w.create("a", tasks(size))
	w.eventually("the others have Pods", func() bool { return len(w.List(apitest.Pods)) == size-1 })
	tries := 0 // number of failed attempts until the last of the other Pods
	for _, q := range w.Requests("create pods") {
		if q.Name == "a-w-3" {
			tries++
		} else if tries > 2 {
			t.Errorf("%s came after try %d of the one that fails", q.Name, tries)
		}
	}
}
