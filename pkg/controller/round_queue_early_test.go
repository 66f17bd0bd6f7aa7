package controller

import (
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// Nothing waits in the queue for the whole retention time: it could not be removed when the Framework is deleted.
func TestNothingIsQueuedForLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startRetained()
	w.stop()
	queue := &delays{TypedRateLimitingInterface: w.c.queue.TypedRateLimitingInterface}
	w.c.queue.TypedRateLimitingInterface = queue
	r := w.c.queue.records.get(w.key("a"))
	w.c.next(r, lifecycle.Output{State: r.status.saved, WakeAt: r.schedule.wakeAt})
	if len(queue.asked) == 0 || slices.Max(queue.asked) != longestDelay {
		t.Errorf("it is to be added after %v", queue.asked)
	}
}

// A round before its due time, which is needed to set the timer again, sends nothing and looks at no Task.
func TestRoundBeforeItsTime(t *testing.T) {
	inBubble(t, func(w *world) {
		w.startRetained()
		w.rests()
		requests := len(w.Requests("*"))
		for range 3 {
			round := w.looking()
			w.c.queue.Add(w.key("a"))
			w.eventually("a round", round)
		}
		w.never("a request", func() bool { return len(w.Requests("*")) > requests })
		w.stop()
		if r := w.c.queue.records.get(w.key("a")); r.schedule.full || len(r.schedule.changed) > 0 || time.Until(r.schedule.wakeAt) < 29*24*time.Hour {
			w.t.Errorf("full %v, %d changed, to be woken at %v", r.schedule.full, len(r.schedule.changed), r.schedule.wakeAt)
		}
	})
}

// startRetained starts a controller, and completes a Framework that is to be kept for 30 days.
func (w *world) startRetained() {
	w.options.Lifecycle.CompletedRetention = 30 * 24 * time.Hour
	w.start()
	w.running("a")
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
}

// delays is a queue that records the delays of additions.
type delays struct {
	workqueue.TypedRateLimitingInterface[cache.ObjectName]
	asked []time.Duration
}

func (d *delays) AddAfter(_ cache.ObjectName, after time.Duration) { d.asked = append(d.asked, after) }
