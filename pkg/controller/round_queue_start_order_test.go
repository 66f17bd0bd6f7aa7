package controller

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A controller that starts among many completed Frameworks first handles the one whose Pod has failed, before it has read most of
// them.
func TestFailedPodIsSeenToFirstAfterAStart(t *testing.T) {
	inBubble(t, func(w *world) {
		const kept = 300
		w.tampered = true // copies keep the UIDs of their originals
		w.options.Workers = 1
		w.start()
		w.running("done")
		w.EndPod("done-w-0", 0)
		w.reaches("done", v1.Completed)
		w.running("a")
		w.stop()
		for i := range kept {
			w.copyFramework("done", fmt.Sprintf("kept%d", i))
		}
		w.EndPod("a-w-0", 1)
		before := len(w.Requests("get frameworks"))
		w.Judge(func(q apitest.Request) apitest.Fault {
			if q.Verb == "get" && q.Resource == apitest.Frameworks {
				return apitest.Fault{Wait: after(10 * time.Millisecond)}
			}
			return apitest.Fault{}
		})
		w.start()
		w.reaches("a", v1.Completed)
		if n := len(w.Requests("get frameworks")) - before; n > kept/2 {
			w.t.Errorf("%d Frameworks had been read by then", n)
		}
		w.eventually("all are read", func() bool { return len(w.Requests("get frameworks"))-before > kept })
	})
}

// copyFramework stores another Framework with the spec and the status of an existing one.
func (w *world) copyFramework(of, name string) {
	o := w.Get(apitest.Frameworks, of).DeepCopy()
	o.SetName(name)
	w.Create(apitest.Frameworks, o)
}

// An ended Framework has low priority as soon as nothing is left to be reported about it.
func TestEndedFrameworkIsUnhurried(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	if w.c.queue.records.lowPriority(w.key("a")) {
		t.Error("one that runs has time")
	}
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	w.eventually("it has time", func() bool { return w.c.queue.records.lowPriority(w.key("a")) })
}

// The known facts decide which Frameworks have low priority.
func TestUnhurried(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		events []event
		ended  bool
		want   bool
	}{
		"seen for the first time":         {events: []event{listed{}}, want: true},
		"and changed":                     {events: []event{listed{}, frameworkChanged{}}},
		"and has a Pod":                   {events: []event{objectChanged{}, listed{}}},
		"looked at again":                 {},
		"ended":                           {ended: true, want: true},
		"ended, and changed":              {events: []event{frameworkChanged{}}, ended: true},
		"ended, and answered by a plugin": {events: []event{answer{}}, ended: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, key := newRecords(), cache.NewObjectName("default", "a")
			r := all.get(key)
			r.ended.Store(test.ended)
			for _, n := range test.events {
				r.mailbox.put(n)
			}
			if got := all.lowPriority(key); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A change of policies causes no round of a Framework with low priority: it has not been read yet, or has ended.
func TestPoliciesHurryNobodyWhoIsKept(t *testing.T) {
	t.Parallel()
	c := atRest(t)
	kept, running := cache.NewObjectName("default", "kept"), cache.NewObjectName("default", "running")
	c.queue.records.get(kept).mailbox.put(listed{})
	c.queue.records.get(running)
	c.PoliciesChanged()
	if !c.queue.records.lowPriority(kept) || len(c.queue.records.get(running).mailbox.drain()) != 1 {
		t.Error("it is not for those, or not for the others")
	}
}
