package controller

import (
	"fmt"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// Nothing is remembered of Frameworks that have gone.
func TestRecordsAreForgotten(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	for i := range 10 {
		w.create(fmt.Sprintf("a%d", i), tasks(2))
	}
	for i := range 10 {
		w.taskReaches(fmt.Sprintf("a%d", i), "w", 1, v1.AttemptPreparing)
	}
	for i := range 10 {
		w.Delete(apitest.Frameworks, fmt.Sprintf("a%d", i))
	}
	w.eventually("all Pods have gone", func() bool { return len(w.List(apitest.Pods)) == 0 })
	time.Sleep(100 * time.Millisecond) // for events that come in late
	w.eventually("nothing is remembered", func() bool { return w.recordCount() == 0 })
}

// Nothing much is remembered of the Pods of a Framework that has completed.
func TestPodsAreForgotten(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(3))
	w.EndPod("a-w-0", 1)
	w.reaches("a", v1.Completed)
	w.stop()
	if n := len(w.c.queue.records.get(w.key("a")).dependents.pods); n != 0 {
		t.Errorf("%d Pods are remembered", n)
	}
}
