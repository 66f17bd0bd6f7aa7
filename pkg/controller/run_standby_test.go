package controller

import (
	"context"
	"slices"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A standby controller watches, is ready, and writes nothing. When it runs, it knows the events of that time, and does not list
// again the objects that it watches already.
func TestStandBy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start() // the first leader
	w.running("a")
	second := w.newController(time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	second.StandBy(ctx)
	w.eventually("the one that stands by is ready", func() bool { return failing(second.Readiness()) == "" })
	w.running("b")
	w.stop()
	before := len(w.Requests("*"))
	if queued, known := second.queue.Len(), len(second.queue.records.keys()); queued != 0 || known != 0 {
		t.Errorf("it keeps %d keys and %d records of what it does nothing about", queued, known)
	}
	ended := make(chan error, 1)
	go func() { ended <- second.Run(ctx) }()
	w.EndPod("b-w-0", 0)
	w.eventually("b completes", func() bool { return w.state("b") == v1.Completed })
	w.EndPod("a-w-0", 0)
	w.eventually("a completes", func() bool { return w.state("a") == v1.Completed })
	var again []string
	for _, q := range w.Requests("*")[before:] {
		if q.Verb == "watch" || q.Verb == "list" {
			again = append(again, q.Verb+" "+q.Resource)
		}
	}
	if version := []string{"list frameworks"}; !slices.Equal(again, version) { // for the version of the storage, which a list of one object has
		t.Errorf("it has begun to %q", again)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
