package controller

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A Pod that is preempted or evicted has a condition with the reason, and its Task passes the reason on, whether the Pod is seen
// terminating or is gone at once. The text is kept readable.
func TestPodIsDisrupted(t *testing.T) {
	t.Parallel()
	long := "default-scheduler: preempting\nto accommodate " + strings.Repeat("a higher priority pod ", 1000)
	ways := map[string]func(w *world){
		"terminating": func(w *world) { w.KeepTerminating(true); w.Delete(apitest.Pods, "a-w-0") },
		"gone":        func(w *world) { w.Vanish(apitest.Pods, "a-w-0") },
	}
	for way, disrupt := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.running("a", tasks(2))
			w.taskReaches("a", "w", 1, v1.AttemptPreparing)
			w.Set(apitest.Pods, "a-w-0", []any{map[string]any{
				"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler", "message": long,
			}}, "status", "conditions")
			disrupt(w)
			w.eventually("the attempt of the Task is decided", func() bool { return w.task("a", "w", 0).AttemptStatus.CompletionStatus != nil })
			s := w.task("a", "w", 0).AttemptStatus.CompletionStatus
			if s.Code != -101 || !strings.HasPrefix(s.Diagnostics, "Pod was preempted by the scheduler: default-scheduler: preempting to accommodate") {
				t.Errorf("it ended with %+v", s)
			}
			if s.Source == nil || s.Source.Rule != "PreemptionByScheduler" {
				t.Errorf("the source is %+v", s.Source)
			}
			if len(s.Diagnostics) > 500 {
				t.Errorf("%d bytes of diagnostics", len(s.Diagnostics))
			}
		})
	}
}
